// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/diff/diff.h"

#include <string.h>

#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"

#define CHUNK (256 << 10)

static int read_chunk(const struct slice *x, char *to, size_t size, uint64_t at, const char *side,
		      struct err *e)
{
	ssize_t n = slice_read(x, to, size, at);

	if (n == (ssize_t)size)
		return 0;
	return n < 0 ? system_result(e, n, "%s: read", side) :
		       refuse(e, "%s: it became shorter while it was read", side);
}

int diff_bytes(const struct slice *a, const struct slice *b, const char *place,
	       struct differences *d, struct err *e)
{
	char *left auto_text = memory_zero(1, CHUNK), *right auto_text = memory_zero(1, CHUNK);
	uint64_t common = a->size < b->size ? a->size : b->size;

	differences_number(d, place, "size", a->size, b->size);
	for (uint64_t at = 0; at < common; at += CHUNK) {
		size_t size = common - at < CHUNK ? (size_t)(common - at) : CHUNK, i = 0;
		int r = read_chunk(a, left, size, at, "A", e);

		if (!r)
			r = read_chunk(b, right, size, at, "B", e);
		if (r)
			return r;
		while (i < size && left[i] == right[i])
			i++;
		if (i < size) {
			differences_content(d, place, at + i);
			return 0;
		}
	}
	return 0;
}
