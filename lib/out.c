// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "lib/out.h"

#include <stdarg.h>
#include <stdio.h>

void out_printf(struct out *o, const char *fmt, ...)
{
	bool fits = o->length < o->size;
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(fits ? o->text + o->length : NULL, fits ? o->size - o->length : 0, fmt, args);
	va_end(args);
	o->length += n > 0 ? (size_t)n : 0;
}

/* What has to be escaped: RFC 8259, section 7. */
void out_string(struct out *o, const char *text)
{
	out_printf(o, "\"");
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < 0x20)
			out_printf(o, "\\u%04x", c);
		else
			out_printf(o, c == '"' || c == '\\' ? "\\%c" : "%c", c);
	}
	out_printf(o, "\"");
}

/* What stands in front of a value. */
static void begin(struct out *o, const char *key)
{
	if (o->depth)
		out_printf(o, "%s\n%*s", o->more ? "," : "", 2 * (int)o->depth, "");
	o->more = true;
	if (!key)
		return;
	out_string(o, key);
	out_printf(o, ":");
}

void out_open(struct out *o, const char *key, char bracket)
{
	begin(o, key);
	out_printf(o, "%c", bracket);
	o->depth++;
	o->more = false;
}

void out_close(struct out *o, char bracket)
{
	o->depth--;
	if (o->more)
		out_printf(o, "\n%*s", 2 * (int)o->depth, "");
	out_printf(o, "%c", bracket);
	o->more = true;
}

void out_text(struct out *o, const char *key, const char *text)
{
	begin(o, key);
	out_string(o, text);
}

void out_number(struct out *o, const char *key, uint64_t number)
{
	begin(o, key);
	out_printf(o, "%llu", (unsigned long long)number);
}

void out_bool(struct out *o, const char *key, bool value)
{
	begin(o, key);
	out_printf(o, value ? "true" : "false");
}

void out_hex(struct out *o, const char *key, const uint8_t *bytes, size_t size)
{
	begin(o, key);
	out_printf(o, "\"");
	for (size_t i = 0; i < size; i++)
		out_printf(o, "%02x", bytes[i]);
	out_printf(o, "\"");
}
