// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/base/checksum.h"

#include <pthread.h>

#include "lib/crc32c.h"

#ifdef HAVE_ISAL
#include <isa-l/crc.h>
#endif

/* [n][b]: what byte b does to the sum when n more bytes follow it. */
static uint32_t table[8][256];
static pthread_once_t table_made = PTHREAD_ONCE_INIT;

static void make_table(void)
{
	for (uint32_t b = 0; b < 256; b++) {
		uint8_t byte = (uint8_t)b;

		table[0][b] = crc32c_of(0, &byte, 1);
	}
	for (size_t n = 1; n < 8; n++)
		for (size_t b = 0; b < 256; b++)
			table[n][b] = table[0][table[n - 1][b] & 0xff] ^ table[n - 1][b] >> 8;
}

uint32_t checksum_by_table(uint32_t crc, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	pthread_once(&table_made, make_table);
	for (; size >= 8; size -= 8, at += 8)
		crc = table[7][(crc ^ at[0]) & 0xff] ^ table[6][(crc >> 8 ^ at[1]) & 0xff] ^
		      table[5][(crc >> 16 ^ at[2]) & 0xff] ^ table[4][crc >> 24 ^ at[3]] ^
		      table[3][at[4]] ^ table[2][at[5]] ^ table[1][at[6]] ^ table[0][at[7]];
	for (; size; size--)
		crc = table[0][(crc ^ *at++) & 0xff] ^ crc >> 8;
	return crc;
}

#ifdef HAVE_ISAL
/* ISA-L finds out at run time what the processor has. */
uint32_t checksum(uint32_t crc, const void *bytes, size_t size)
{
	const size_t most = 1 << 30;
	union {
		const void *in;
		unsigned char *out;
	} at = { .in = bytes };

	for (; size > most; size -= most, at.out += most)
		crc = crc32_iscsi(at.out, (int)most, crc);
	return crc32_iscsi(at.out, (int)size, crc);
}
#else
uint32_t checksum(uint32_t crc, const void *bytes, size_t size)
{
	return checksum_by_table(crc, bytes, size);
}
#endif
