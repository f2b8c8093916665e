// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/disk/tree_write.h"

#include <inttypes.h>
#include <string.h>

#include "image-build/base/jobs.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/base/write.h"
#include "lib/io.h"
#include "lib/le.h"

/* Hash blocks that one part fills: 4 MiB of data with the usual sizes. */
#define PART_BLOCKS 8
/* Data is read so much at a time: it should still be in the cache when it is hashed. */
#define READ_BYTES (128 << 10)

int tree_making_open(struct tree_making *m, const struct slice *data, const struct verity_params *p,
		     const struct tree_place *place, struct err *e)
{
	uint64_t end;
	int r;

	*m = (struct tree_making){ .data = *data, .place = *place, .p = *p };
	r = hash_shape_of(&m->p, &m->shape, e);
	if (r)
		return r;
	end = m->shape.data_bytes;
	if (!end || data->size > end || end - data->size >= p->data_block_size)
		return refuse(e, "%" PRIu64 " bytes are not %" PRIu64 " data blocks of %" PRIu32,
			      data->size, p->data_blocks, p->data_block_size);
	return 0;
}

/* Read n blocks of a level; what the data is short of its last block is zero. */
static int read_blocks(const struct tree_making *m, int64_t level, uint64_t first, uint64_t n,
		       uint8_t *bytes, struct err *e)
{
	const struct hash_shape *s = &m->shape;
	uint64_t at = hash_shape_at(s, level, first);
	size_t size = n * hash_shape_size(s, level), there = size;
	ssize_t got;

	if (level >= 0) {
		got = io_pread(m->place.fd, bytes, size, m->place.offset + at);
	} else {
		if (m->data.size - at < size)
			there = (size_t)(m->data.size - at);
		memset(bytes + there, 0, size - there);
		got = slice_read(&m->data, bytes, there, at);
	}
	if (got == (ssize_t)there)
		return 0;
	return system_result(e, got, "read the %s", level < 0 ? "data" : "hash tree");
}

/* Where in hash blocks a hash has its place. */
static uint8_t *slot_of(const struct tree_making *m, uint8_t *blocks, uint64_t index)
{
	const struct hash_shape *s = &m->shape;

	return blocks + index / s->hashes_per_block * m->p.hash_block_size +
	       index % s->hashes_per_block * s->slot_size;
}

static void fill_spare(const struct tree_making *m, uint64_t used, uint64_t all, uint8_t *blocks)
{
	for (uint64_t i = used; m->place.spare && i < all; i++)
		memcpy(slot_of(m, blocks, i), m->place.spare, m->shape.digest_size);
}

/* Hash n blocks into the slots from index on. */
static void hash_piece(const struct tree_making *m, uint64_t index, uint64_t n,
		       const uint8_t *bytes, uint32_t size, uint8_t *out, struct block_hasher *h)
{
	uint64_t i = 0;

	for (; h->pairs && i + 1 < n; i += 2, bytes += 2 * (size_t)size)
		block_hasher_run_pair(h, (const uint8_t *[]){ bytes, bytes + size }, size,
				      (uint8_t *[]){ slot_of(m, out, index + i),
						     slot_of(m, out, index + i + 1) });
	for (; i < n; i++, bytes += size)
		block_hasher_run(h, bytes, size, slot_of(m, out, index + i));
}

/* Hash count blocks of a level, from first on, into the hash blocks that out begins with. */
static int hash_into(const struct tree_making *m, int64_t level, uint64_t first, uint64_t count,
		     uint8_t *out, struct block_hasher *h, struct err *e)
{
	const struct hash_shape *s = &m->shape;
	uint32_t size = hash_shape_size(s, level);
	uint64_t at_once = size < READ_BYTES ? READ_BYTES / size : 1;
	uint8_t *bytes = memory_zero(at_once, size);
	int r = 0;

	for (uint64_t i = 0; !r && i < count; i += at_once) {
		uint64_t n = count - i < at_once ? count - i : at_once;

		r = read_blocks(m, level, first + i, n, bytes, e);
		if (!r)
			hash_piece(m, i, n, bytes, size, out, h);
	}
	free(bytes);
	return r;
}

/* Make hash blocks first to first + PART_BLOCKS - 1 of a level, or as many as it has. */
static int make_blocks(const struct tree_making *m, int64_t level, uint64_t first, struct err *e)
{
	const struct hash_shape *s = &m->shape;
	uint64_t left = hash_shape_count(s, level) - first;
	uint64_t count = left < PART_BLOCKS ? left : PART_BLOCKS;
	uint64_t below = first * s->hashes_per_block;
	uint64_t hashes = hash_shape_count(s, level - 1) - below;
	uint8_t *out = memory_zero(count, m->p.hash_block_size);
	struct block_hasher h;
	int r = block_hasher_open(&h, &m->p, e);

	if (hashes > count * s->hashes_per_block)
		hashes = count * s->hashes_per_block;
	if (!r)
		r = hash_into(m, level - 1, below, hashes, out, &h, e);
	if (!r) {
		fill_spare(m, hashes, count * s->hashes_per_block, out);
		r = write_all_at(m->place.fd, out, count * m->p.hash_block_size,
				 m->place.offset + hash_shape_at(s, level, first));
		if (r)
			r = system_result(e, r, "write the hash tree");
	}
	block_hasher_close(&h);
	free(out);
	return r;
}

uint64_t tree_making_parts(const struct tree_making *m)
{
	return m->shape.levels ? (m->shape.blocks[0] + PART_BLOCKS - 1) / PART_BLOCKS : 0;
}

int tree_making_part(const struct tree_making *m, uint64_t index, struct err *e)
{
	return make_blocks(m, 0, index * PART_BLOCKS, e);
}

int tree_making_close(struct tree_making *m, struct err *e)
{
	int64_t top = (int64_t)m->shape.levels - 1;
	struct block_hasher h;
	int r = 0;

	for (int64_t level = 1; level <= top; level++)
		for (uint64_t i = 0; !r && i < hash_shape_count(&m->shape, level); i += PART_BLOCKS)
			r = make_blocks(m, level, i, e);
	if (r)
		return r;
	r = block_hasher_open(&h, &m->p, e);
	if (!r)
		r = hash_into(m, top, 0, 1, m->p.root_hash, &h, e);
	block_hasher_close(&h);
	if (!r)
		m->p.root_hash_size = (uint8_t)m->shape.digest_size;
	return r;
}

static int make_part(void *context, size_t index, struct err *e)
{
	return tree_making_part(context, index, e);
}

int tree_making_run(struct tree_making *m, struct err *e)
{
	int r = jobs_in_threads(tree_making_parts(m), make_part, m, NULL, e);

	return r ? r : tree_making_close(m, e);
}

int tree_write(const struct slice *data, struct verity_params *p, const struct tree_place *place,
	       struct err *e)
{
	struct tree_making m;
	int r = tree_making_open(&m, data, p, place, e);

	if (!r)
		r = tree_making_run(&m, e);
	if (!r)
		*p = m.p;
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
