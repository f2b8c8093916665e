// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/disk/hash_tree.h"

#include <inttypes.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"

struct tree_reader {
	const struct slice *image;
	const struct verity_params *p;
	EVP_MD *md;
	EVP_MD_CTX *context;
	size_t digest_size, slot_size;
	uint64_t hashes_per_block;
	uint32_t levels;
	uint64_t start[VERITY_LEVELS_MAX]; /* hash block where a level begins; 0 is the lowest */
	uint64_t blocks[VERITY_LEVELS_MAX];
	uint8_t *block, *parent;
	uint64_t parent_at; /* the hash block in parent, UINT64_MAX for none */
};

static void lay_out(struct tree_reader *t, uint64_t data_blocks)
{
	uint64_t at = t->p->hash_start_block;
	uint64_t n = data_blocks;

	for (uint32_t i = 0; i < t->levels; i++) {
		n = (n + t->hashes_per_block - 1) / t->hashes_per_block;
		t->blocks[i] = n;
	}
	/* The top comes first. */
	for (uint32_t i = t->levels; i > 0; i--) {
		t->start[i - 1] = at;
		at += t->blocks[i - 1];
	}
}

static void measure(struct tree_reader *t)
{
	uint64_t fit = t->p->hash_block_size / t->digest_size;

	t->hashes_per_block = 1;
	while (t->hashes_per_block * 2 <= fit)
		t->hashes_per_block *= 2;
	/* Format 1 gives each digest a power of two, format 0 packs them. */
	t->slot_size =
		t->p->hash_type ? t->p->hash_block_size / t->hashes_per_block : t->digest_size;
}

static void close_reader(struct tree_reader *t)
{
	EVP_MD_CTX_free(t->context);
	EVP_MD_free(t->md);
	free(t->block);
	free(t->parent);
}

static int open_reader(struct tree_reader *t, const struct slice *image,
		       const struct verity_params *p, struct err *e)
{
	struct verity_geometry g;
	int r = verity_geometry(p, &g, e);

	*t = (struct tree_reader){ .image = image, .p = p, .parent_at = UINT64_MAX };
	if (r)
		return r;
	if (g.hash_end_bytes > image->size || g.data_bytes > image->size)
		return err_set(e, FAIL_DEVICE_TOO_SMALL, EINVAL,
			       "%" PRIu64 " bytes, but data and hash tree need %" PRIu64,
			       image->size,
			       g.hash_end_bytes > g.data_bytes ? g.hash_end_bytes : g.data_bytes);
	t->digest_size = verity_digest_size(p->hash_name);
	t->levels = g.levels;
	t->md = EVP_MD_fetch(NULL, p->hash_name, NULL);
	t->context = EVP_MD_CTX_new();
	if (!t->md || !t->context)
		return refuse(e, "libcrypto has no %s", p->hash_name);
	t->block = memory_zero(1, p->data_block_size > p->hash_block_size ? p->data_block_size :
									    p->hash_block_size);
	t->parent = memory_zero(1, p->hash_block_size);
	measure(t);
	lay_out(t, p->data_blocks);
	return 0;
}

static int read_block(struct tree_reader *t, uint64_t index, uint32_t size, uint8_t *block,
		      struct err *e)
{
	ssize_t n = slice_read(t->image, block, size, index * size);

	if (n != (ssize_t)size)
		return n < 0 ? system_result(e, n, "read the image") :
			       refuse(e, "the image ends early");
	return 0;
}

/* The salt stands before the block, in format 0 behind it. */
static void hash_block(struct tree_reader *t, const uint8_t *block, uint32_t size, uint8_t *digest)
{
	const struct verity_params *p = t->p;
	int ok = EVP_DigestInit_ex(t->context, t->md, NULL);

	if (p->hash_type)
		ok &= EVP_DigestUpdate(t->context, p->salt, p->salt_size);
	ok &= EVP_DigestUpdate(t->context, block, size);
	if (!p->hash_type)
		ok &= EVP_DigestUpdate(t->context, p->salt, p->salt_size);
	ok &= EVP_DigestFinal_ex(t->context, digest, NULL);
	if (ok != 1)
		abort();
}

/* Level -1 is the data. */
static int hash_of(struct tree_reader *t, int64_t level, uint64_t index, uint8_t *digest,
		   struct err *e)
{
	uint32_t size = level < 0 ? t->p->data_block_size : t->p->hash_block_size;
	uint64_t at = level < 0 ? index : t->start[level] + index;
	int r = read_block(t, at, size, t->block, e);

	if (!r)
		hash_block(t, t->block, size, digest);
	return r;
}

int verity_root(const struct slice *image, struct verity_params *p, struct err *e)
{
	struct tree_reader t;
	uint8_t digest[VERITY_DIGEST_MAX];
	int r = open_reader(&t, image, p, e);

	if (!r)
		r = hash_of(&t, (int64_t)t.levels - 1, 0, digest, e);
	if (!r) {
		memcpy(p->root_hash, digest, t.digest_size);
		p->root_hash_size = (uint8_t)t.digest_size;
	}
	close_reader(&t);
	return r;
}

/* What the level above says that the hash of a block is. */
static int expected_hash(struct tree_reader *t, int64_t level, uint64_t index, const uint8_t **ret,
			 struct err *e)
{
	uint64_t at;

	if (level == (int64_t)t->levels - 1) {
		*ret = t->p->root_hash;
		return 0;
	}
	at = t->start[level + 1] + index / t->hashes_per_block;
	if (t->parent_at != at) {
		int r = read_block(t, at, t->p->hash_block_size, t->parent, e);

		if (r)
			return r;
		t->parent_at = at;
	}
	*ret = t->parent + (index % t->hashes_per_block) * t->slot_size;
	return 0;
}

static int mismatch(const struct tree_reader *t, int64_t level, uint64_t index, struct err *e)
{
	if (level < 0 && t->levels)
		return err_set(e, FAIL_DATA_CORRUPT, EBADMSG,
			       "data block %" PRIu64 " does not match", index);
	if (level == (int64_t)t->levels - 1)
		return err_set(e, FAIL_ROOT_HASH_MISMATCH, EBADMSG,
			       "the top of the tree does not match the root hash");
	return err_set(e, FAIL_HASH_TREE_CORRUPT, EBADMSG,
		       "hash block %" PRIu64 " (level %" PRId64 ") does not match",
		       t->start[level] + index, level);
}

static int check_level(struct tree_reader *t, int64_t level, struct err *e)
{
	uint64_t count = level < 0 ? t->p->data_blocks : t->blocks[level];

	for (uint64_t i = 0; i < count; i++) {
		uint8_t digest[VERITY_DIGEST_MAX];
		const uint8_t *expected;
		int r = expected_hash(t, level, i, &expected, e);

		if (!r)
			r = hash_of(t, level, i, digest, e);
		if (r)
			return r;
		if (memcmp(digest, expected, t->digest_size))
			return mismatch(t, level, i, e);
	}
	return 0;
}

int verity_check(const struct slice *image, const struct verity_params *p, struct err *e)
{
	struct tree_reader t;
	int r = open_reader(&t, image, p, e);

	if (!r && p->root_hash_size != t.digest_size)
		r = err_set(e, FAIL_ROOT_HASH_INVALID, EINVAL,
			    "the root hash has %u bytes, but %s has %zu", p->root_hash_size,
			    p->hash_name, t.digest_size);
	for (int64_t level = r ? -2 : (int64_t)t.levels - 1; !r && level >= -1; level--)
		r = check_level(&t, level, e);
	close_reader(&t);
	return r;
}
