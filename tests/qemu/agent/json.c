// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/qemu/agent/json.h"

#include <errno.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

FILE *json_out;

/* A JSON string of any bytes, each one a code point below 256. */
void json_string(const char *text, size_t size)
{
	fputc('"', json_out);
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\') {
			/* Whole files go through here, on emulated processors. */
			fputs("\\u00", json_out);
			fputc("0123456789abcdef"[c >> 4], json_out);
			fputc("0123456789abcdef"[c & 15], json_out);
		} else {
			fputc(c, json_out);
		}
	}
	fputc('"', json_out);
}

void json_key(const char *key)
{
	fputc(',', json_out);
	json_string(key, strlen(key));
	fputc(':', json_out);
}

void json_text(const char *key, const char *value)
{
	json_key(key);
	json_string(value, strlen(value));
}

void json_number(const char *key, uint64_t value)
{
	json_key(key);
	fprintf(json_out, "%llu", (unsigned long long)value);
}

/* The result of a system call: 0, or the error number. */
void json_result(int result)
{
	json_number("errno", result < 0 ? (uint64_t)errno : 0);
}

void json_begin(const char *what)
{
	fputs("{\"what\":", json_out);
	json_string(what, strlen(what));
}

/* The line has left the guest when this returns, whatever happens next. */
void json_end(void)
{
	fputs("}\n", json_out);
	fflush(json_out);
	tcdrain(fileno(json_out));
}

void json_strings(const char *key, char *const *strings)
{
	json_key(key);
	fputc('[', json_out);
	for (size_t i = 0; strings[i]; i++) {
		if (i)
			fputc(',', json_out);
		json_string(strings[i], strlen(strings[i]));
	}
	fputc(']', json_out);
}

void json_link(const char *key, const char *path)
{
	char target[512];
	ssize_t size = readlink(path, target, sizeof(target));

	json_key(key);
	json_string(target, size < 0 ? 0 : (size_t)size);
}
