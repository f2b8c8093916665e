// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/disk/erofs/erofs_window.h"

#include <stdlib.h>
#include <string.h>

#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/base/write.h"

void erofs_window_open(struct erofs_window *w, int fd, uint64_t base)
{
	*w = (struct erofs_window){ .fd = fd, .base = base };
	w->bytes = memory_zero(1, EROFS_WINDOW_BYTES);
}

void erofs_window_close(struct erofs_window *w)
{
	free(w->bytes);
	w->bytes = NULL;
}

/* Write the first bytes, and move the others to their place. */
static int advance(struct erofs_window *w, size_t size, struct err *e)
{
	int r = write_all_at(w->fd, w->bytes, size, w->base + w->start);

	if (r)
		return system_result(e, r, "write the erofs");
	memmove(w->bytes, w->bytes + size, EROFS_WINDOW_BYTES - size);
	memset(w->bytes + EROFS_WINDOW_BYTES - size, 0, size);
	w->start += size;
	return 0;
}

int erofs_window_at(struct erofs_window *w, uint64_t at, size_t size, uint8_t **ret, struct err *e)
{
	int r = 0;

	if (at < w->start || size > EROFS_WINDOW_PIECE)
		abort(); /* a place that was given out twice or too late */
	while (!r && at + size > w->start + EROFS_WINDOW_BYTES)
		r = advance(w, EROFS_WINDOW_BYTES - EROFS_WINDOW_BACK - EROFS_WINDOW_PIECE, e);
	if (!r)
		*ret = w->bytes + (at - w->start);
	return r;
}

int erofs_window_finish(struct erofs_window *w, uint64_t end, struct err *e)
{
	int r = 0;

	while (!r && w->start < end)
		r = advance(w,
			    end - w->start < EROFS_WINDOW_BYTES ? (size_t)(end - w->start) :
								  EROFS_WINDOW_BYTES,
			    e);
	return r;
}
