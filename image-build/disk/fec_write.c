// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * A codeword is 255 bytes, the last of which are parity. Its bytes are taken far apart:
 * byte i of a codeword comes from block i * rounds + round, so that a run of bad
 * blocks hurts each codeword once.
 */
#include "image-build/disk/fec_write.h"

#include <inttypes.h>
#include <string.h>

#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/base/write.h"

#define CODEWORD   255
#define POLYNOMIAL 0x11d
#define NO_LOG     255

/* Arithmetic of GF(256), and the generator of the code. */
struct code {
	uint8_t exp[2 * CODEWORD];
	uint8_t log[256];
	uint8_t generator[VERITY_FEC_ROOTS_MAX]; /* its logarithms, the lowest power first */
	unsigned int roots;
};

struct layout {
	uint64_t blocks; /* of data and tree together */
	uint64_t rounds;
	uint32_t block_size;
	unsigned int message; /* bytes of a codeword that are not parity */
};

static void make_field(struct code *c)
{
	unsigned int x = 1;

	c->log[0] = NO_LOG;
	for (unsigned int i = 0; i < CODEWORD; i++) {
		c->exp[i] = c->exp[i + CODEWORD] = (uint8_t)x;
		c->log[x] = (uint8_t)i;
		x <<= 1;
		if (x & 0x100)
			x ^= POLYNOMIAL;
	}
}

/* The product of (x - a^i) for each root, a's first power being 0. */
static void make_code(struct code *c, unsigned int roots)
{
	uint8_t g[VERITY_FEC_ROOTS_MAX + 1] = { 1 };

	make_field(c);
	c->roots = roots;
	for (unsigned int i = 0; i < roots; i++) {
		g[i + 1] = 1;
		for (unsigned int j = i; j > 0; j--)
			g[j] = (uint8_t)(g[j - 1] ^ (g[j] ? c->exp[c->log[g[j]] + i] : 0));
		g[0] = c->exp[c->log[g[0]] + i];
	}
	for (unsigned int i = 0; i < roots; i++)
		c->generator[i] = c->log[g[i]];
}

/* One more byte of the message into the parity, the highest power first. */
static void encode(const struct code *c, uint8_t byte, uint8_t *parity)
{
	uint8_t feedback = byte ^ parity[0];
	unsigned int log = c->log[feedback];

	memmove(parity, parity + 1, c->roots - 1);
	parity[c->roots - 1] = 0;
	if (!feedback)
		return;
	for (unsigned int i = 0; i < c->roots; i++) {
		uint8_t of = c->generator[c->roots - 1 - i];

		if (of != NO_LOG)
			parity[i] ^= c->exp[log + of];
	}
}

static int lay_out(const struct verity_params *p, struct layout *ret, struct err *e)
{
	struct verity_geometry g;
	int r = verity_geometry(p, &g, e);

	if (r)
		return r;
	if (p->data_block_size != p->hash_block_size)
		return refuse(e, "FEC needs equal block sizes of data and hash");
	if (p->fec_roots < VERITY_FEC_ROOTS_MIN || p->fec_roots > VERITY_FEC_ROOTS_MAX)
		return refuse(e, "FEC has %d to %d roots", VERITY_FEC_ROOTS_MIN,
			      VERITY_FEC_ROOTS_MAX);
	ret->block_size = p->data_block_size;
	ret->message = CODEWORD - p->fec_roots;
	ret->blocks = p->data_blocks + g.tree_blocks;
	ret->rounds = (ret->blocks + ret->message - 1) / ret->message;
	return 0;
}

int fec_size(const struct verity_params *p, uint64_t *ret, struct err *e)
{
	struct layout l;
	int r = lay_out(p, &l, e);

	if (!r)
		*ret = l.rounds * l.block_size * p->fec_roots;
	return r;
}

/* Behind the data comes the tree, and behind that there are zeros. */
static int read_block(const struct slice *data, const struct slice *hash_device,
		      const struct verity_params *p, const struct layout *l, uint64_t block,
		      uint8_t *to, struct err *e)
{
	uint64_t at = block * l->block_size;
	ssize_t n;

	memset(to, 0, l->block_size);
	if (block >= l->blocks)
		return 0;
	if (block >= p->data_blocks)
		at = (block - p->data_blocks + p->hash_start_block) * l->block_size;
	n = slice_read(block < p->data_blocks ? data : hash_device, to, l->block_size, at);
	/* The last block of the data may be short of its end. */
	if (n < 0 || (!n && block != p->data_blocks - 1))
		return system_result(e, n, "read block %" PRIu64, block);
	return 0;
}

/* The parity of as many codewords as a block has bytes. */
static int encode_round(const struct slice *data, const struct slice *hash_device,
			const struct verity_params *p, const struct layout *l, const struct code *c,
			uint64_t round, uint8_t *block, uint8_t *parity, struct err *e)
{
	memset(parity, 0, (size_t)l->block_size * c->roots);
	for (unsigned int i = 0; i < l->message; i++) {
		int r = read_block(data, hash_device, p, l, i * l->rounds + round, block, e);

		if (r)
			return r;
		for (uint32_t j = 0; j < l->block_size; j++)
			encode(c, block[j], parity + (size_t)j * c->roots);
	}
	return 0;
}

int fec_write(const struct slice *data, const struct slice *hash_device,
	      const struct verity_params *p, int fd, uint64_t offset_bytes, struct err *e)
{
	struct layout l;
	struct code c;
	uint8_t *block, *parity;
	size_t size;
	int r = lay_out(p, &l, e);

	if (r)
		return r;
	make_code(&c, p->fec_roots);
	size = (size_t)l.block_size * c.roots;
	block = memory_zero(1, l.block_size);
	parity = memory_zero(1, size);
	for (uint64_t round = 0; !r && round < l.rounds; round++) {
		r = encode_round(data, hash_device, p, &l, &c, round, block, parity, e);
		if (!r && write_all_at(fd, parity, size, offset_bytes + round * size))
			r = system_failed(e, "write the parity");
	}
	free(block);
	free(parity);
	return r;
}
