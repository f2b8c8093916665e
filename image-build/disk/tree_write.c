// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * One pass over the data. Each level has one block under way; a full one is written, and
 * its hash goes into the level above.
 */
#include "image-build/disk/tree_write.h"

#include <inttypes.h>
#include <openssl/evp.h>
#include <string.h>

#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/base/write.h"
#include "lib/le.h"

#define CHUNK (1U << 20) /* bytes read at once; a multiple of every block size */

struct level {
	uint8_t *block;
	size_t slots; /* that are filled */
	uint64_t at;  /* bytes in the file: where the next block goes */
};

struct tree_writer {
	const struct tree_place *place;
	struct verity_params *p;
	EVP_MD *md;
	EVP_MD_CTX *context;
	size_t digest_size, slot_size, slots_per_block;
	uint32_t levels;
	struct level level[VERITY_LEVELS_MAX]; /* 0 is the lowest */
	uint8_t *chunk;
};

static void measure(struct tree_writer *t)
{
	size_t fit;

	t->digest_size = verity_digest_size(t->p->hash_name);
	fit = t->p->hash_block_size / t->digest_size;
	t->slots_per_block = 1;
	while (t->slots_per_block * 2 <= fit)
		t->slots_per_block *= 2;
	/* Format 1 gives each digest a power of two, format 0 packs them. */
	t->slot_size =
		t->p->hash_type ? t->p->hash_block_size / t->slots_per_block : t->digest_size;
}

/* The top comes first. */
static void lay_out(struct tree_writer *t)
{
	uint64_t blocks[VERITY_LEVELS_MAX], n = t->p->data_blocks;
	uint64_t at = t->p->hash_start_block;

	for (uint32_t i = 0; i < t->levels; i++)
		blocks[i] = n = (n + t->slots_per_block - 1) / t->slots_per_block;
	for (uint32_t i = t->levels; i-- > 0; at += blocks[i]) {
		t->level[i].at = t->place->offset + at * t->p->hash_block_size;
		t->level[i].block = memory_zero(1, t->p->hash_block_size);
	}
}

static int open_writer(struct tree_writer *t, struct verity_params *p,
		       const struct tree_place *place, struct err *e)
{
	struct verity_geometry g;
	int r = verity_geometry(p, &g, e);

	*t = (struct tree_writer){ .place = place, .p = p };
	if (r)
		return r;
	t->levels = g.levels;
	t->md = EVP_MD_fetch(NULL, p->hash_name, NULL);
	t->context = EVP_MD_CTX_new();
	if (!t->md || !t->context)
		return refuse(e, "libcrypto has no %s", p->hash_name);
	t->chunk = memory_zero(1, CHUNK);
	measure(t);
	lay_out(t);
	return 0;
}

static void close_writer(struct tree_writer *t)
{
	for (uint32_t i = 0; i < t->levels; i++)
		free(t->level[i].block);
	free(t->chunk);
	EVP_MD_CTX_free(t->context);
	EVP_MD_free(t->md);
}

/* The salt stands before the block, in format 0 behind it. */
static void hash(struct tree_writer *t, const uint8_t *block, size_t size, uint8_t *digest)
{
	const struct verity_params *p = t->p;
	int ok = EVP_DigestInit_ex(t->context, t->md, NULL);

	if (p->hash_type)
		ok &= EVP_DigestUpdate(t->context, p->salt, p->salt_size);
	ok &= EVP_DigestUpdate(t->context, block, size);
	if (!p->hash_type)
		ok &= EVP_DigestUpdate(t->context, p->salt, p->salt_size);
	if ((ok & EVP_DigestFinal_ex(t->context, digest, NULL)) != 1)
		abort();
}

static int add(struct tree_writer *t, uint32_t level, const uint8_t *digest, struct err *e);

static int flush(struct tree_writer *t, uint32_t level, struct err *e)
{
	struct level *l = &t->level[level];
	uint8_t digest[VERITY_DIGEST_MAX];
	int r;

	for (; t->place->spare && l->slots < t->slots_per_block; l->slots++)
		memcpy(l->block + l->slots * t->slot_size, t->place->spare, t->digest_size);
	r = write_all_at(t->place->fd, l->block, t->p->hash_block_size, l->at);
	if (r)
		return system_result(e, r, "write the hash tree");
	hash(t, l->block, t->p->hash_block_size, digest);
	memset(l->block, 0, t->p->hash_block_size);
	l->slots = 0;
	l->at += t->p->hash_block_size;
	return add(t, level + 1, digest, e);
}

/* A hash of what is below a level; above the highest one it is the root hash. */
static int add(struct tree_writer *t, uint32_t level, const uint8_t *digest, struct err *e)
{
	struct level *l = &t->level[level];

	if (level == t->levels) {
		memcpy(t->p->root_hash, digest, t->digest_size);
		t->p->root_hash_size = (uint8_t)t->digest_size;
		return 0;
	}
	memcpy(l->block + l->slots++ * t->slot_size, digest, t->digest_size);
	return l->slots == t->slots_per_block ? flush(t, level, e) : 0;
}

/* One chunk, of which the slice has so many bytes; zeros follow. */
static int add_chunk(struct tree_writer *t, size_t size, struct err *e)
{
	int r = 0;

	for (size_t at = 0; !r && at < size; at += t->p->data_block_size) {
		uint8_t digest[VERITY_DIGEST_MAX];

		hash(t, t->chunk + at, t->p->data_block_size, digest);
		r = add(t, 0, digest, e);
	}
	return r;
}

static int add_data(struct tree_writer *t, const struct slice *data, struct err *e)
{
	uint64_t end = t->p->data_blocks * t->p->data_block_size;
	int r = 0;

	if (data->size > end || end - data->size >= t->p->data_block_size)
		return refuse(e, "%" PRIu64 " bytes are not %" PRIu64 " data blocks of %" PRIu32,
			      data->size, t->p->data_blocks, t->p->data_block_size);
	for (uint64_t at = 0; !r && at < end; at += CHUNK) {
		size_t size = end - at < CHUNK ? (size_t)(end - at) : CHUNK;
		size_t there = data->size - at < size ? (size_t)(data->size - at) : size;
		ssize_t n = slice_read(data, t->chunk, there, at);

		if (n != (ssize_t)there)
			return system_result(e, n, "read the data");
		memset(t->chunk + there, 0, size - there);
		r = add_chunk(t, size, e);
	}
	for (uint32_t i = 0; !r && i < t->levels; i++)
		if (t->level[i].slots)
			r = flush(t, i, e);
	return r;
}

int tree_write(const struct slice *data, struct verity_params *p, const struct tree_place *place,
	       struct err *e)
{
	struct tree_writer t;
	struct verity_params made = *p;
	int r = open_writer(&t, &made, place, e);

	if (!r)
		r = add_data(&t, data, e);
	close_writer(&t);
	if (!r)
		*p = made;
	return r;
}

void superblock_encode(const struct verity_params *p, const uint8_t uuid[UUID_SIZE],
		       uint8_t bytes[VERITY_SUPERBLOCK_SIZE])
{
	memset(bytes, 0, VERITY_SUPERBLOCK_SIZE);
	memcpy(bytes, "verity\0\0", 8);
	le_put(bytes + 8, 4, 1);
	le_put(bytes + 12, 4, p->hash_type);
	memcpy(bytes + 16, uuid, UUID_SIZE);
	memcpy(bytes + 32, p->hash_name, strlen(p->hash_name));
	le_put(bytes + 64, 4, p->data_block_size);
	le_put(bytes + 68, 4, p->hash_block_size);
	le_put(bytes + 72, 8, p->data_blocks);
	le_put(bytes + 80, 2, p->salt_size);
	memcpy(bytes + 88, p->salt, p->salt_size);
}
