// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Source: FIPS 180-4; Intel's manual, volume 2, SHA256RNDS2, SHA256MSG1 and SHA256MSG2. */
#include "image-build/disk/sha256_pair.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>
#include <string.h>

#define CHUNK 64

static const uint32_t constants[64] __attribute__((aligned(16))) = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2
};

/* A, B, E, F and C, D, G, H of a message, the first in the highest lane. */
struct half_states {
	__m128i abef, cdgh;
};

bool sha256_pair_usable(void)
{
	unsigned int a, b, c, d, features;

	if (!__get_cpuid(1, &a, &b, &features, &d) || !(features & bit_SSE4_1) ||
	    !(features & bit_SSSE3))
		return false;
	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_SHA;
}

__attribute__((target("sha,sse4.1"))) static inline __m128i next_words(const __m128i w[4],
								       unsigned int i)
{
	__m128i before = w[(i + 3) % 4];
	__m128i sum = _mm_sha256msg1_epu32(w[i % 4], w[(i + 1) % 4]);

	sum = _mm_add_epi32(sum, _mm_alignr_epi8(before, w[(i + 2) % 4], 4));
	return _mm_sha256msg2_epu32(sum, before);
}

/* One chunk of each message: sixteen times four rounds. */
__attribute__((target("sha,sse4.1"))) static void add_chunks(struct half_states s[2],
							     const uint8_t *const chunks[2])
{
	const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
	const struct half_states before[2] = { s[0], s[1] };
	__m128i w[2][4];

#pragma GCC unroll 16
	for (unsigned int i = 0; i < 16; i++) {
		const __m128i k = _mm_load_si128((const __m128i *)(const void *)&constants[4 * i]);

#pragma GCC unroll 2
		for (unsigned int n = 0; n < 2; n++) {
			const void *at = chunks[n] + (i % 4) * 16;
			__m128i sum;

			w[n][i % 4] = i < 4 ? _mm_shuffle_epi8(_mm_loadu_si128(at), big_endian) :
					      next_words(w[n], i);
			sum = _mm_add_epi32(w[n][i % 4], k);
			s[n].cdgh = _mm_sha256rnds2_epu32(s[n].cdgh, s[n].abef, sum);
			sum = _mm_shuffle_epi32(sum, 0x0e);
			s[n].abef = _mm_sha256rnds2_epu32(s[n].abef, s[n].cdgh, sum);
		}
	}
	for (unsigned int n = 0; n < 2; n++) {
		s[n].abef = _mm_add_epi32(s[n].abef, before[n].abef);
		s[n].cdgh = _mm_add_epi32(s[n].cdgh, before[n].cdgh);
	}
}

__attribute__((target("sha,sse4.1"))) static void put_digest(const struct half_states *s,
							     uint8_t *digest)
{
	/* Words as a digest has them, from lanes that are numbered from the lowest. */
	static const unsigned int abef[] = { 5, 4, 1, 0 }, cdgh[] = { 7, 6, 3, 2 };
	uint32_t lanes[2][4];

	_mm_storeu_si128((__m128i *)(void *)lanes[0], s->abef);
	_mm_storeu_si128((__m128i *)(void *)lanes[1], s->cdgh);
	for (unsigned int i = 0; i < 4; i++) {
		uint32_t first = __builtin_bswap32(lanes[0][i]);
		uint32_t second = __builtin_bswap32(lanes[1][i]);

		memcpy(digest + 4 * abef[i], &first, 4);
		memcpy(digest + 4 * cdgh[i], &second, 4);
	}
}

/* What is left of the messages, the padding, and their length. */
static void add_ends(struct half_states s[2], const uint8_t *const rest[2], size_t rest_size,
		     uint64_t length)
{
	uint8_t last[2][CHUNK] = { { 0 } };
	const uint8_t *const chunks[2] = { last[0], last[1] };
	uint64_t bits = __builtin_bswap64(length * 8);

	for (unsigned int n = 0; n < 2; n++) {
		memcpy(last[n], rest[n], rest_size);
		last[n][rest_size] = 0x80;
	}
	if (rest_size >= CHUNK - sizeof(bits)) {
		add_chunks(s, chunks);
		memset(last, 0, sizeof(last));
	}
	for (unsigned int n = 0; n < 2; n++)
		memcpy(last[n] + CHUNK - sizeof(bits), &bits, sizeof(bits));
	add_chunks(s, chunks);
}

static void begin(struct half_states s[2])
{
	for (unsigned int n = 0; n < 2; n++) {
		s[n].abef =
			_mm_set_epi32(0x6a09e667, (int)0xbb67ae85U, 0x510e527f, (int)0x9b05688cU);
		s[n].cdgh = _mm_set_epi32(0x3c6ef372, (int)0xa54ff53aU, 0x1f83d9ab, 0x5be0cd19);
	}
}

void sha256_pair(const uint8_t *prefix, size_t prefix_size, const uint8_t *const blocks[2],
		 size_t size, uint8_t *const digests[2])
{
	size_t at = prefix_size ? CHUNK - prefix_size : 0;
	const uint8_t *chunks[2];
	struct half_states s[2];

	begin(s);
	if (prefix_size) {
		uint8_t first[2][CHUNK];

		for (unsigned int n = 0; n < 2; n++) {
			memcpy(first[n], prefix, prefix_size);
			memcpy(first[n] + prefix_size, blocks[n], at);
			chunks[n] = first[n];
		}
		add_chunks(s, chunks);
	}
	for (; size - at >= CHUNK; at += CHUNK) {
		for (unsigned int n = 0; n < 2; n++)
			chunks[n] = blocks[n] + at;
		add_chunks(s, chunks);
	}
	for (unsigned int n = 0; n < 2; n++)
		chunks[n] = blocks[n] + at;
	add_ends(s, chunks, size - at, prefix_size + size);
	for (unsigned int n = 0; n < 2; n++)
		put_digest(&s[n], digests[n]);
}

#else

#include <stdlib.h>

bool sha256_pair_usable(void)
{
	return false;
}

void sha256_pair(const uint8_t *prefix, size_t prefix_size, const uint8_t *const blocks[2],
		 size_t size, uint8_t *const digests[2])
{
	(void)prefix;
	(void)prefix_size;
	(void)blocks;
	(void)size;
	(void)digests;
	abort();
}

#endif
