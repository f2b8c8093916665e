// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "lib/hex.h"

#include <errno.h>
#include <string.h>

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

int hex_decode(const char *text, uint8_t *out, size_t size)
{
	size_t digits = strlen(text);

	if (digits % 2)
		return -EINVAL;
	for (size_t i = 0; i < digits; i++)
		if (digit_value(text[i]) < 0)
			return -EINVAL;
	if (digits / 2 > size)
		return -E2BIG;
	for (size_t i = 0; i < digits; i += 2)
		out[i / 2] = (uint8_t)(digit_value(text[i]) << 4 | digit_value(text[i + 1]));
	return (int)(digits / 2);
}

void hex_encode(const uint8_t *in, size_t size, char *text)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < size; i++) {
		text[2 * i] = digits[in[i] >> 4];
		text[2 * i + 1] = digits[in[i] & 15];
	}
	text[2 * size] = '\0';
}
