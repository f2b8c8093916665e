// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * A codeword is 255 bytes, the last of which are parity. Its bytes are taken far apart:
 * byte i of a codeword comes from block i * rounds + round, so that a run of bad
 * blocks hurts each codeword once.
 */
#include "image-build/disk/fec_write.h"

#include <inttypes.h>
#include <string.h>

#include "image-build/base/jobs.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/base/write.h"

#define CODEWORD   255
#define POLYNOMIAL 0x11d

/* Arithmetic of GF(256), and the generator of the code. */
struct code {
	uint8_t exp[2 * CODEWORD];
	uint8_t log[256];
	/* Of each byte with the generator's coefficients, the highest power first. */
	uint8_t products[256][VERITY_FEC_ROOTS_MAX];
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

	c->log[0] = 0;
	for (unsigned int i = 0; i < CODEWORD; i++) {
		c->exp[i] = c->exp[i + CODEWORD] = (uint8_t)x;
		c->log[x] = (uint8_t)i;
		x <<= 1;
		if (x & 0x100)
			x ^= POLYNOMIAL;
	}
}

static uint8_t multiply(const struct code *c, uint8_t a, uint8_t b)
{
	return a && b ? c->exp[c->log[a] + c->log[b]] : 0;
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
			g[j] = g[j - 1] ^ multiply(c, g[j], c->exp[i]);
		g[0] = multiply(c, g[0], c->exp[i]);
	}
	for (unsigned int byte = 0; byte < 256; byte++)
		for (unsigned int i = 0; i < roots; i++)
			c->products[byte][i] = multiply(c, (uint8_t)byte, g[roots - 1 - i]);
}

/* One more byte of the message into the parity, the highest power first. */
static void encode(const struct code *c, uint8_t byte, uint8_t *parity)
{
	const uint8_t *product = c->products[byte ^ parity[0]];
	unsigned int last = c->roots - 1;

	for (unsigned int i = 0; i < last; i++)
		parity[i] = parity[i + 1] ^ product[i];
	parity[last] = product[last];
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

struct writing {
	const struct slice *data, *hash_device;
	const struct verity_params *p;
	const struct layout *l;
	const struct code *code;
	int fd;
	uint64_t offset;
};

/* The parity of as many codewords as a block has bytes. */
static int encode_round(const struct writing *w, uint64_t round, uint8_t *block, uint8_t *parity,
			struct err *e)
{
	for (unsigned int i = 0; i < w->l->message; i++) {
		int r = read_block(w->data, w->hash_device, w->p, w->l, i * w->l->rounds + round,
				   block, e);

		if (r)
			return r;
		for (uint32_t j = 0; j < w->l->block_size; j++)
			encode(w->code, block[j], parity + (size_t)j * w->code->roots);
	}
	return 0;
}

static int write_round(void *context, size_t round, struct err *e)
{
	const struct writing *w = context;
	size_t size = (size_t)w->l->block_size * w->code->roots;
	uint8_t *block = memory_zero(1, w->l->block_size), *parity = memory_zero(1, size);
	int r = encode_round(w, round, block, parity, e);

	if (!r && write_all_at(w->fd, parity, size, w->offset + round * size))
		r = system_failed(e, "write the parity");
	free(block);
	free(parity);
	return r;
}

int fec_write(const struct slice *data, const struct slice *hash_device,
	      const struct verity_params *p, int fd, uint64_t offset_bytes, struct err *e)
{
	struct layout l;
	struct code c;
	struct writing w = { data, hash_device, p, &l, &c, fd, offset_bytes };
	int r = lay_out(p, &l, e);

	if (r)
		return r;
	make_code(&c, p->fec_roots);
	return jobs_in_threads((size_t)l.rounds, write_round, &w, NULL, e);
}
