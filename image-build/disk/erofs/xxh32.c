// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/disk/erofs/xxh32.h"

#include "lib/le.h"

#define LANES 4

static const uint32_t prime[] = { 0, 0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f, 0x165667b1 };

static uint32_t rotate(uint32_t value, unsigned int bits)
{
	return value << bits | value >> (32 - bits);
}

static uint32_t word(const uint8_t *at)
{
	return (uint32_t)le_get(at, 4);
}

/* Four lanes, each takes every fourth word of whole stripes of 16 bytes. */
static uint32_t stripes(const uint8_t **at, const uint8_t *end, uint32_t seed)
{
	uint32_t lanes[LANES] = { seed + prime[1] + prime[2], seed + prime[2], seed,
				  seed - prime[1] };

	for (; end - *at >= 4 * LANES; *at += 4 * LANES)
		for (size_t i = 0; i < LANES; i++)
			lanes[i] = rotate(lanes[i] + word(*at + 4 * i) * prime[2], 13) * prime[1];
	return rotate(lanes[0], 1) + rotate(lanes[1], 7) + rotate(lanes[2], 12) +
	       rotate(lanes[3], 18);
}

uint32_t xxh32_of(const void *bytes, size_t size, uint32_t seed)
{
	const uint8_t *at = bytes, *end = at + size;
	uint32_t hash = size < 4 * LANES ? seed + prime[5] : stripes(&at, end, seed);

	hash += (uint32_t)size;
	for (; end - at >= 4; at += 4)
		hash = rotate(hash + word(at) * prime[3], 17) * prime[4];
	for (; at < end; at++)
		hash = rotate(hash + *at * prime[5], 11) * prime[1];
	hash = (hash ^ hash >> 15) * prime[2];
	hash = (hash ^ hash >> 13) * prime[3];
	return hash ^ hash >> 16;
}
