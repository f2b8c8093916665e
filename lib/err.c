// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "lib/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define FAIL(name, meaning) #name,
static const char *const names[] = {
	"NONE",
#include "lib/failure.def"
};
#undef FAIL

const char *fail_name(enum fail_code code)
{
	return names[(unsigned int)code < FAIL_CODES ? code : FAIL_NONE];
}

void err_make_printable(char *text)
{
	for (; *text; text++)
		if (*text < 0x20 || *text > 0x7e)
			*text = '?';
}

__attribute__((format(printf, 4, 0))) static void
err_record(struct err *e, enum fail_code code, int errnum, const char *fmt, va_list args)
{
	size_t used;

	if (!e)
		return;
	e->code = code;
	vsnprintf(e->text, sizeof(e->text), fmt, args);
	used = strlen(e->text);
	if (errnum)
		snprintf(e->text + used, sizeof(e->text) - used, ": %s", strerror(errnum));
	err_make_printable(e->text);
}

int err_set(struct err *e, enum fail_code code, int errnum, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	err_record(e, code, 0, fmt, args);
	va_end(args);
	return -errnum;
}

int err_result(struct err *e, enum fail_code code, ssize_t result, const char *fmt, ...)
{
	int errnum = result < 0 ? (int)-result : EIO;
	va_list args;

	va_start(args, fmt);
	err_record(e, code, errnum, fmt, args);
	va_end(args);
	return -errnum;
}

int err_prefix(struct err *e, int r, const char *fmt, ...)
{
	char text[ERR_TEXT_SIZE];
	size_t used;
	va_list args;

	if (!r || !e)
		return r;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	used = strlen(text);
	memcpy(text + used, e->text, strnlen(e->text, sizeof(text) - used - 1) + 1);
	text[sizeof(text) - 1] = '\0';
	err_make_printable(text);
	memcpy(e->text, text, sizeof(text));
	return r;
}

int err_volume(struct err *e, int r, const char *name)
{
	if (!r || !e)
		return r;
	snprintf(e->volume, sizeof(e->volume), "%s", name);
	err_make_printable(e->volume);
	return r;
}
