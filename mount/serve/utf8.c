// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/serve/utf8.h"

#include <string.h>

size_t utf8_encode(uint32_t character, char ret[4])
{
	static const uint8_t marks[] = { 0, 0x00, 0xc0, 0xe0, 0xf0 };
	size_t size = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;

	if (character > 0x10ffff || (character >= 0xd800 && character <= 0xdfff))
		return 0;
	for (size_t i = size - 1; i > 0; i--) {
		ret[i] = (char)(0x80 | (character & 0x3f));
		character >>= 6;
	}
	ret[0] = (char)(marks[size] | character);
	return size;
}

/* How long a character is by its first byte, and which of its bits that byte has. */
static size_t read_first(uint8_t byte, uint32_t *ret_bits)
{
	if (byte < 0x80) {
		*ret_bits = byte;
		return 1;
	}
	for (size_t size = 2; size <= 4; size++)
		if ((unsigned int)byte >> (7 - size) == (1u << (size + 1)) - 2) {
			*ret_bits = byte & ((1u << (7 - size)) - 1);
			return size;
		}
	return 0;
}

bool utf8_is_valid(const char *text, size_t size)
{
	for (size_t i = 0; i < size;) {
		uint32_t character;
		size_t length = read_first((uint8_t)text[i], &character);
		char shortest[4];

		if (!length || length > size - i)
			return false;
		for (size_t k = 1; k < length; k++)
			character = character << 6 | ((uint8_t)text[i + k] & 0x3f);
		/* What was no continuation byte, and each longer form, comes out differently. */
		if (utf8_encode(character, shortest) != length ||
		    memcmp(shortest, text + i, length))
			return false;
		i += length;
	}
	return true;
}
