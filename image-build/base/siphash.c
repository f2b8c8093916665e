// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/base/siphash.h"

#include "lib/le.h"

static uint64_t rotate(uint64_t x, unsigned int bits)
{
	return x << bits | x >> (64 - bits);
}

static void rounds(uint64_t v[4], unsigned int count)
{
	while (count--) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] = rotate(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] = rotate(v[2], 32);
	}
}

static void take(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	rounds(v, 2);
	v[0] ^= word;
}

uint64_t siphash(const uint8_t key[SIPHASH_KEY_SIZE], const void *bytes, size_t size)
{
	uint64_t k0 = le_get(key, 8), k1 = le_get(key + 8, 8);
	/* The paper's "somepseudorandomlygeneratedbytes". */
	uint64_t v[4] = { k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261,
			  k1 ^ 0x7465646279746573 };
	const uint8_t *at = bytes;
	size_t left = size;

	for (; left >= 8; left -= 8, at += 8)
		take(v, le_get(at, 8));
	take(v, le_get(at, left) | (uint64_t)size << 56);
	v[2] ^= 0xff;
	rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
