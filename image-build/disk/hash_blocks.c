// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/disk/hash_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "image-build/base/refuse.h"
#include "image-build/disk/sha256_pair.h"

static void lay_out(struct hash_shape *s)
{
	uint64_t at = s->p->hash_start_block;
	uint64_t n = s->p->data_blocks;

	for (uint32_t i = 0; i < s->levels; i++) {
		n = (n + s->hashes_per_block - 1) / s->hashes_per_block;
		s->blocks[i] = n;
	}
	/* The top comes first. */
	for (uint32_t i = s->levels; i > 0; i--) {
		s->start[i - 1] = at;
		at += s->blocks[i - 1];
	}
}

static void measure(struct hash_shape *s)
{
	uint64_t fit = s->p->hash_block_size / s->digest_size;

	s->hashes_per_block = 1;
	while (s->hashes_per_block * 2 <= fit)
		s->hashes_per_block *= 2;
	/* Format 1 gives each digest a power of two, format 0 packs them. */
	s->slot_size =
		s->p->hash_type ? s->p->hash_block_size / s->hashes_per_block : s->digest_size;
}

int hash_shape_of(const struct verity_params *p, struct hash_shape *ret, struct err *e)
{
	struct hash_shape s = { .p = p };
	struct verity_geometry g;
	int r = verity_geometry(p, &g, e);

	if (r)
		return r;
	s.digest_size = verity_digest_size(p->hash_name);
	s.levels = g.levels;
	s.data_bytes = g.data_bytes;
	s.end_bytes = g.hash_end_bytes;
	measure(&s);
	lay_out(&s);
	*ret = s;
	return 0;
}

uint32_t hash_shape_size(const struct hash_shape *s, int64_t level)
{
	return level < 0 ? s->p->data_block_size : s->p->hash_block_size;
}

uint64_t hash_shape_count(const struct hash_shape *s, int64_t level)
{
	return level < 0 ? s->p->data_blocks : s->blocks[level];
}

uint64_t hash_shape_at(const struct hash_shape *s, int64_t level, uint64_t index)
{
	return ((level < 0 ? 0 : s->start[level]) + index) * hash_shape_size(s, level);
}

int block_hasher_open(struct block_hasher *h, const struct verity_params *p, struct err *e)
{
	*h = (struct block_hasher){ .p = p };
	/* Fetched once: looking it up by name each time costs more than a small block. */
	h->md = EVP_MD_fetch(NULL, p->hash_name, NULL);
	h->context = EVP_MD_CTX_new();
	if (!h->md || !h->context)
		return refuse(e, "libcrypto has no %s", p->hash_name);
	h->pairs = !strcmp(p->hash_name, "sha256") && p->hash_type &&
		   p->salt_size <= SHA256_PAIR_PREFIX && sha256_pair_usable();
	return 0;
}

void block_hasher_close(struct block_hasher *h)
{
	EVP_MD_CTX_free(h->context);
	EVP_MD_free(h->md);
	*h = (struct block_hasher){ .p = NULL };
}

/* The salt stands before the block, in format 0 behind it. */
void block_hasher_run(struct block_hasher *h, const uint8_t *block, uint32_t size, uint8_t *digest)
{
	const struct verity_params *p = h->p;
	int ok = EVP_DigestInit_ex(h->context, h->md, NULL);

	if (p->hash_type)
		ok &= EVP_DigestUpdate(h->context, p->salt, p->salt_size);
	ok &= EVP_DigestUpdate(h->context, block, size);
	if (!p->hash_type)
		ok &= EVP_DigestUpdate(h->context, p->salt, p->salt_size);
	ok &= EVP_DigestFinal_ex(h->context, digest, NULL);
	if (ok != 1)
		abort();
}

void block_hasher_run_pair(struct block_hasher *h, const uint8_t *const blocks[2], uint32_t size,
			   uint8_t *const digests[2])
{
	sha256_pair(h->p->salt, h->p->salt_size, blocks, size, digests);
}
