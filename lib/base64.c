// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "lib/base64.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* A digit's six bits; every character has been checked before. */
static uint32_t value_of(char c)
{
	return (uint32_t)(strchr(digits, c) - digits);
}

/* Up to four digits, as they stand at the top of 24 bits. */
static uint32_t group_of(const char *text, size_t count)
{
	uint32_t group = 0;

	for (size_t i = 0; i < 4; i++)
		group = group << 6 | (i < count ? value_of(text[i]) : 0);
	return group;
}

int base64_decode(const char *text, uint8_t *out, size_t size)
{
	return base64_decode_part(text, strlen(text), out, size);
}

int base64_decode_part(const char *text, size_t length, uint8_t *out, size_t size)
{
	size_t known = strspn(text, digits), count = known < length ? known : length;
	size_t rest = count % 4, padding = rest ? 4 - rest : 0, bytes = count / 4 * 3;

	if (rest == 1 || length - count != padding || strncmp(text + count, "==", padding))
		return -EINVAL;
	/* 2 digits are one byte and 4 bits, 3 are two bytes and 2 bits. */
	if (rest) {
		if (group_of(text + count - rest, rest) & (0xffffffU >> 8 * (rest - 1)))
			return -EINVAL;
		bytes += rest - 1;
	}
	if (bytes > size || bytes > INT_MAX)
		return -E2BIG;
	for (size_t i = 0; i < bytes; i += 3) {
		size_t at = i / 3 * 4;
		uint32_t group = group_of(text + at, count - at < 4 ? count - at : 4);

		for (size_t j = 0; j < 3 && i + j < bytes; j++)
			out[i + j] = (uint8_t)(group >> (16 - 8 * j));
	}
	return (int)bytes;
}
