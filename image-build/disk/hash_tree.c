// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/disk/hash_tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/disk/hash_blocks.h"

struct tree_reader {
	const struct slice *image;
	struct hash_shape shape;
	struct block_hasher hasher;
	uint8_t *block, *parent;
	uint64_t parent_at; /* the hash block in parent, UINT64_MAX for none */
};

static void close_reader(struct tree_reader *t)
{
	block_hasher_close(&t->hasher);
	free(t->block);
	free(t->parent);
}

static int open_reader(struct tree_reader *t, const struct slice *image,
		       const struct verity_params *p, struct err *e)
{
	uint64_t needed;
	int r;

	*t = (struct tree_reader){ .image = image, .parent_at = UINT64_MAX };
	r = hash_shape_of(p, &t->shape, e);
	if (r)
		return r;
	needed =
		t->shape.end_bytes > t->shape.data_bytes ? t->shape.end_bytes : t->shape.data_bytes;
	if (needed > image->size)
		return err_set(e, FAIL_DEVICE_TOO_SMALL, EINVAL,
			       "%" PRIu64 " bytes, but data and hash tree need %" PRIu64,
			       image->size, needed);
	t->block = memory_zero(1, p->data_block_size > p->hash_block_size ? p->data_block_size :
									    p->hash_block_size);
	t->parent = memory_zero(1, p->hash_block_size);
	return block_hasher_open(&t->hasher, p, e);
}

static int read_block(struct tree_reader *t, int64_t level, uint64_t index, uint8_t *block,
		      struct err *e)
{
	uint32_t size = hash_shape_size(&t->shape, level);
	ssize_t n = slice_read(t->image, block, size, hash_shape_at(&t->shape, level, index));

	if (n != (ssize_t)size)
		return n < 0 ? system_result(e, n, "read the image") :
			       refuse(e, "the image ends early");
	return 0;
}

static int hash_of(struct tree_reader *t, int64_t level, uint64_t index, uint8_t *digest,
		   struct err *e)
{
	int r = read_block(t, level, index, t->block, e);

	if (!r)
		block_hasher_run(&t->hasher, t->block, hash_shape_size(&t->shape, level), digest);
	return r;
}

int verity_root(const struct slice *image, struct verity_params *p, struct err *e)
{
	struct tree_reader t;
	uint8_t digest[VERITY_DIGEST_MAX];
	int r = open_reader(&t, image, p, e);

	if (!r)
		r = hash_of(&t, (int64_t)t.shape.levels - 1, 0, digest, e);
	if (!r) {
		memcpy(p->root_hash, digest, t.shape.digest_size);
		p->root_hash_size = (uint8_t)t.shape.digest_size;
	}
	close_reader(&t);
	return r;
}

/* What the level above says that the hash of a block is. */
static int expected_hash(struct tree_reader *t, int64_t level, uint64_t index, const uint8_t **ret,
			 struct err *e)
{
	const struct hash_shape *s = &t->shape;
	uint64_t above = index / s->hashes_per_block, at;

	if (level == (int64_t)s->levels - 1) {
		*ret = s->p->root_hash;
		return 0;
	}
	at = s->start[level + 1] + above;
	if (t->parent_at != at) {
		int r = read_block(t, level + 1, above, t->parent, e);

		if (r)
			return r;
		t->parent_at = at;
	}
	*ret = t->parent + (index % s->hashes_per_block) * s->slot_size;
	return 0;
}

static int mismatch(const struct tree_reader *t, int64_t level, uint64_t index, struct err *e)
{
	if (level < 0 && t->shape.levels)
		return err_set(e, FAIL_DATA_CORRUPT, EBADMSG,
			       "data block %" PRIu64 " does not match", index);
	if (level == (int64_t)t->shape.levels - 1)
		return err_set(e, FAIL_ROOT_HASH_MISMATCH, EBADMSG,
			       "the top of the tree does not match the root hash");
	return err_set(e, FAIL_HASH_TREE_CORRUPT, EBADMSG,
		       "hash block %" PRIu64 " (level %" PRId64 ") does not match",
		       t->shape.start[level] + index, level);
}

static int check_level(struct tree_reader *t, int64_t level, struct err *e)
{
	uint64_t count = hash_shape_count(&t->shape, level);

	for (uint64_t i = 0; i < count; i++) {
		uint8_t digest[VERITY_DIGEST_MAX];
		const uint8_t *expected;
		int r = expected_hash(t, level, i, &expected, e);

		if (!r)
			r = hash_of(t, level, i, digest, e);
		if (r)
			return r;
		if (memcmp(digest, expected, t->shape.digest_size))
			return mismatch(t, level, i, e);
	}
	return 0;
}

int verity_check(const struct slice *image, const struct verity_params *p, struct err *e)
{
	struct tree_reader t;
	int r = open_reader(&t, image, p, e);

	if (!r && p->root_hash_size != t.shape.digest_size)
		r = err_set(e, FAIL_ROOT_HASH_INVALID, EINVAL,
			    "the root hash has %u bytes, but %s has %zu", p->root_hash_size,
			    p->hash_name, t.shape.digest_size);
	for (int64_t level = r ? -2 : (int64_t)t.shape.levels - 1; !r && level >= -1; level--)
		r = check_level(&t, level, e);
	close_reader(&t);
	return r;
}
