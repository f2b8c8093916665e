// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/devref.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "lib/hex.h"
#include "lib/parse.h"

/* Linux keeps 12 bits of a major and 20 of a minor number. */
#define MAJOR_MAX ((1U << 12) - 1)
#define MINOR_MAX ((1U << 20) - 1)

static const struct {
	const char *prefix;
	enum devref_kind kind;
} forms[] = {
	{ "/dev/", DEVREF_PATH },
	{ "SERIAL=", DEVREF_SERIAL },
	{ "PARTUUID=", DEVREF_PARTUUID },
	{ "PARTLABEL=", DEVREF_PARTLABEL },
	{ "UUID=", DEVREF_UUID },
	{ "LABEL=", DEVREF_LABEL },
};

#define FORMS (sizeof(forms) / sizeof(forms[0]))

/* One character of a value, \xHH decoded: bytes taken, 0 for a bad escape. */
static size_t take_char(const char *text, char *ret)
{
	char digits[3];
	uint8_t byte;

	if (*text != '\\') {
		*ret = *text;
		return 1;
	}
	if (text[1] != 'x' || !text[2] || !text[3])
		return 0;
	memcpy(digits, text + 2, 2);
	digits[2] = '\0';
	if (hex_decode(digits, &byte, 1) != 1 || !byte)
		return 0;
	*ret = (char)byte;
	return 4;
}

static int unescape(const char *text, char *out, size_t size)
{
	size_t used = 0;

	while (*text) {
		size_t taken = used + 1 < size ? take_char(text, &out[used]) : 0;

		if (!taken)
			return -EINVAL;
		text += taken;
		used++;
	}
	out[used] = '\0';
	return used ? 0 : -EINVAL;
}

static int parse_number(const char *text, struct devref *ret)
{
	const char *colon = strchr(text, ':');
	uint64_t major, minor;
	char first[8];

	if (!colon || (size_t)(colon - text) >= sizeof(first))
		return -EINVAL;
	memcpy(first, text, (size_t)(colon - text));
	first[colon - text] = '\0';
	if (parse_u64(first, MAJOR_MAX, &major) || parse_u64(colon + 1, MINOR_MAX, &minor))
		return -EINVAL;
	ret->kind = DEVREF_NUMBER;
	ret->major = (unsigned int)major;
	ret->minor = (unsigned int)minor;
	return 0;
}

static int parse_form(const char *text, struct devref *ret)
{
	for (size_t i = 0; i < FORMS; i++) {
		size_t length = strlen(forms[i].prefix);

		if (strncmp(text, forms[i].prefix, length))
			continue;
		ret->kind = forms[i].kind;
		return unescape(text + length, ret->value, sizeof(ret->value));
	}
	return parse_number(text, ret);
}

int devref_parse(const char *text, struct devref *ret, struct err *e)
{
	struct devref ref = { 0 };

	if (parse_form(text, &ref))
		return err_set(e, FAIL_VALUE_INVALID, EINVAL,
			       "\"%.120s\" is no device reference (/dev/NAME, MAJOR:MINOR, SERIAL=, "
			       "PARTUUID=, PARTLABEL=, UUID= or LABEL=)", text);
	*ret = ref;
	return 0;
}

/* A character that would end or change the value on a command line. */
static int needs_escape(char c)
{
	return c <= 0x20 || c > 0x7e || c == ',' || c == '\\' || c == '"';
}

static void print_value(const char *value, char *buf, size_t size)
{
	for (; *value && size > 5; value++) {
		int n = snprintf(buf, size, needs_escape(*value) ? "\\x%02x" : "%c",
				 (unsigned char)*value);

		buf += n;
		size -= (size_t)n;
	}
}

const char *devref_print(const struct devref *ref, char *buf, size_t size)
{
	snprintf(buf, size, "-");
	if (ref->kind == DEVREF_NUMBER)
		snprintf(buf, size, "%u:%u", ref->major, ref->minor);
	for (size_t i = 0; i < FORMS; i++)
		if (ref->kind == forms[i].kind) {
			size_t length = (size_t)snprintf(buf, size, "%s", forms[i].prefix);

			if (length < size)
				print_value(ref->value, buf + length, size - length);
		}
	return buf;
}
