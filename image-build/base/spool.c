// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/base/spool.h"

#include <string.h>

#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/base/write.h"
#include "lib/io.h"

int content_add(struct content *c, struct spool *s, const void *bytes, size_t size, uint64_t offset,
		struct err *e)
{
	struct extent *last = c->count ? &c->extents[c->count - 1] : NULL;
	int r;

	if (!size)
		return 0;
	if (last && offset < last->offset + last->size)
		return refuse(e, "its pieces overlap");
	r = write_all_at(s->fd, bytes, size, s->size);
	if (r)
		return system_result(e, r, "write to the temporary file");
	c->spool_fd = s->fd;
	if (last && offset == last->offset + last->size && s->size == last->spooled + last->size) {
		last->size += size;
	} else {
		c->extents = memory_grow(c->extents, c->count, &c->room, sizeof(*c->extents));
		c->extents[c->count++] = (struct extent){ offset, size, s->size };
	}
	s->size += size;
	return 0;
}

/* The first extent that ends behind an offset, or the one past the last. */
static size_t find_extent(const struct content *c, uint64_t offset)
{
	size_t low = 0, high = c->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c->extents[middle].offset + c->extents[middle].size > offset)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

ssize_t content_read(const struct content *c, uint64_t file_size, void *buf, size_t size,
		     uint64_t offset, struct err *e)
{
	char *at = buf;

	if (offset >= file_size)
		return 0;
	if (size > file_size - offset)
		size = (size_t)(file_size - offset);
	memset(buf, 0, size);
	for (size_t i = find_extent(c, offset); i < c->count; i++) {
		const struct extent *x = &c->extents[i];
		uint64_t from = x->offset > offset ? x->offset : offset;
		uint64_t end = x->offset + x->size;
		ssize_t n;

		if (end > offset + size)
			end = offset + size;
		if (from >= end)
			break;
		n = io_pread(c->spool_fd, at + (from - offset), (size_t)(end - from),
			     x->spooled + (from - x->offset));
		if (n != (ssize_t)(end - from))
			return system_result(e, n, "read the temporary file");
	}
	return (ssize_t)size;
}
