// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "lib/crc32c.h"

#define POLYNOMIAL 0x82f63b78 /* Castagnoli's, its lowest bit first */

/* What half a byte does to the rest. */
static uint32_t half(uint32_t crc)
{
	for (int bit = 0; bit < 4; bit++)
		crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
	return crc;
}

uint32_t crc32c_of(uint32_t crc, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	for (; size; size--)
		crc = half(half(crc ^ *at++));
	return crc;
}
