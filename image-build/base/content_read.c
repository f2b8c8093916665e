// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0

#include <string.h>

#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/base/store.h"

uint32_t content_blocks(const struct content *c, uint64_t file_size)
{
	uint32_t blocks = 0;

	if (!c->store)
		return 0;
	if (!c->map)
		return (uint32_t)(file_size / CONTENT_BLOCK) +
		       (file_size % CONTENT_BLOCK && c->tail == CONTENT_NO_TAIL);
	for (size_t i = 0; i < c->map->count; i++)
		blocks += c->map->runs[i].count;
	return blocks;
}

size_t content_tail_size(const struct content *c, uint64_t file_size)
{
	return c->store && c->tail != CONTENT_NO_TAIL ? (size_t)(file_size % CONTENT_BLOCK) : 0;
}

static int read_all(const struct appender *a, void *buf, size_t size, uint64_t at, struct err *e)
{
	ssize_t n = appender_read(a, buf, size, at);

	return n < 0 ? system_result(e, n, "read the contents of files") : 0;
}

int content_read_tail(const struct content *c, uint64_t file_size, void *buf, struct err *e)
{
	return read_all(&c->store->tails, buf, content_tail_size(c, file_size),
			(uint64_t)c->tail * CONTENT_TAIL_UNIT, e);
}

/* The part of [offset, offset + size) that blocks from first on cover; they stand at block. */
static int read_run(const struct content *c, struct content_run run, uint64_t block, char *buf,
		    size_t size, uint64_t offset, struct err *e)
{
	uint64_t start = (uint64_t)run.first * CONTENT_BLOCK;
	uint64_t end = start + (uint64_t)run.count * CONTENT_BLOCK;
	uint64_t from = start > offset ? start : offset;
	uint64_t to = end < offset + size ? end : offset + size;

	if (from >= to)
		return 0;
	return read_all(&c->store->data, buf + (from - offset), (size_t)(to - from),
			block * CONTENT_BLOCK + (from - start), e);
}

static int read_whole(const struct content *c, uint64_t file_size, char *buf, size_t size,
		      uint64_t offset, struct err *e)
{
	size_t tail = content_tail_size(c, file_size);
	uint64_t blocks_end = file_size - tail;
	struct content_run all = { 0, content_blocks(c, file_size) };
	int r = read_run(c, all, c->block, buf, size, offset, e);

	if (!r && offset + size > blocks_end && tail) {
		uint64_t from = offset > blocks_end ? offset : blocks_end;

		r = read_all(&c->store->tails, buf + (from - offset),
			     (size_t)(offset + size - from),
			     (uint64_t)c->tail * CONTENT_TAIL_UNIT + (from - blocks_end), e);
	}
	return r;
}

static int read_mapped(const struct content *c, char *buf, size_t size, uint64_t offset,
		       struct err *e)
{
	uint64_t block = c->block;
	int r = 0;

	memset(buf, 0, size);
	for (size_t i = 0; !r && i < c->map->count; i++) {
		r = read_run(c, c->map->runs[i], block, buf, size, offset, e);
		block += c->map->runs[i].count;
	}
	return r;
}

ssize_t content_read(const struct content *c, uint64_t file_size, void *buf, size_t size,
		     uint64_t offset, struct err *e)
{
	int r = 0;

	if (offset >= file_size)
		return 0;
	if (size > file_size - offset)
		size = (size_t)(file_size - offset);
	if (!c->store)
		memset(buf, 0, size);
	else if (c->map)
		r = read_mapped(c, buf, size, offset, e);
	else
		r = read_whole(c, file_size, buf, size, offset, e);
	return r ? r : (ssize_t)size;
}

struct content content_copy(const struct content *c)
{
	struct content copy = *c;

	if (c->map)
		copy.map = memory_copy(c->map,
				       sizeof(*c->map) + c->map->count * sizeof(*c->map->runs));
	return copy;
}

void content_free(struct content *c)
{
	free(c->map);
	*c = (struct content){ .store = NULL };
}
