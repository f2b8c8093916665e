// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/disk/erofs/erofs_file.h"

#include "image-build/base/refuse.h"
#include "image-build/disk/erofs/erofs_space.h"

#define BLOCK_BITS 12
/* A 32-bit kernel shifts a long by this. */
#define CHUNK_BITS_MAX 30

_Static_assert(CONTENT_BLOCK == EROFS_BLOCK, "a store's blocks are the image's");

static uint64_t blocks_of(uint64_t bytes)
{
	return (bytes + EROFS_BLOCK - 1) / EROFS_BLOCK;
}

static int check_place(const struct content *c, uint64_t size, uint32_t data_blocks, struct err *e)
{
	uint32_t count = content_blocks(c, size);

	if (count && (!c->block || c->block > data_blocks || count > data_blocks - c->block))
		return refuse(e, "its content is outside of the image's blocks");
	if (content_tail_size(c, size) > EROFS_TAIL_MAX)
		return refuse(e, "a tail of %zu bytes, at most %d", content_tail_size(c, size),
			      EROFS_TAIL_MAX);
	return 0;
}

/* The blocks of the file at which data and holes meet, or-ed. */
static int borders(const struct content_map *map, uint64_t blocks, uint64_t *ret, struct err *e)
{
	uint64_t end = 0, bits = 0;

	for (size_t i = 0; i < map->count; i++) {
		const struct content_run *run = &map->runs[i];

		if (run->first < end || run->count > blocks || run->first > blocks - run->count)
			return refuse(e, "its content overlaps, or is longer than its size");
		end = (uint64_t)run->first + run->count;
		bits |= run->first | (end < blocks ? end : 0);
	}
	*ret = bits;
	return 0;
}

/* The largest chunk that no border is inside of; one that holds the file is enough. */
static unsigned int choose_chunk(uint64_t blocks, uint64_t border_bits)
{
	unsigned int bits = 0;

	while (!(border_bits >> bits & 1) && (uint64_t)1 << bits < blocks &&
	       BLOCK_BITS + bits < CHUNK_BITS_MAX)
		bits++;
	return BLOCK_BITS + bits;
}

static int look_at_holes(const struct inode *inode, struct erofs_file *f, struct err *e)
{
	uint64_t blocks = blocks_of(inode->size), bits = 0;
	int r = inode->content.map ? borders(inode->content.map, blocks, &bits, e) : 0;

	f->layout = EROFS_CHUNKS;
	f->chunk_bits = choose_chunk(blocks, bits);
	f->chunks = ((inode->size - 1) >> f->chunk_bits) + 1;
	return r;
}

int erofs_file_look(const struct inode *inode, uint32_t data_blocks, struct erofs_file *ret,
		    struct err *e)
{
	const struct content *c = &inode->content;
	struct erofs_file f = { .layout = EROFS_PLAIN };
	int r = check_place(c, inode->size, data_blocks, e);

	if (!r && inode->size && (!c->store || c->map)) {
		r = look_at_holes(inode, &f, e);
	} else if (!r) {
		f.tail = (uint32_t)content_tail_size(c, inode->size);
		f.block = content_blocks(c, inode->size) ? c->block : 0;
		f.layout = f.tail ? EROFS_INLINE : EROFS_PLAIN;
	}
	if (!r)
		*ret = f;
	return r;
}

uint32_t erofs_index_next(struct erofs_index *x)
{
	uint64_t first = x->chunk++ << (x->chunk_bits - BLOCK_BITS);
	const struct content_map *map = x->content->map;

	for (; map && x->run < map->count; x->run++) {
		const struct content_run *run = &map->runs[x->run];

		if (first < run->first)
			break;
		if (first - run->first < run->count)
			return (uint32_t)(x->content->block + x->in_store + (first - run->first));
		x->in_store += run->count;
	}
	return EROFS_NO_BLOCK;
}
