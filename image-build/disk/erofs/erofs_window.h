/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DISK_EROFS_EROFS_WINDOW_H
#define IMAGE_BUILD_DISK_EROFS_EROFS_WINDOW_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

/*
 * A part of a file that is written nearly in order: the last bytes of it wait in memory,
 * so that there may still be written among them. What nobody writes is zero.
 */
#define EROFS_WINDOW_BYTES ((size_t)1 << 20)
/* How far behind the furthest byte there may still be written. */
#define EROFS_WINDOW_BACK (EROFS_WINDOW_BYTES / 2)
/* The most that is written at once. */
#define EROFS_WINDOW_PIECE ((size_t)64 << 10)

struct erofs_window {
	int fd;         /* borrowed */
	uint64_t base;  /* where the part begins in the file */
	uint64_t start; /* what is in memory, in bytes from base */
	uint8_t *bytes;
};

void erofs_window_open(struct erofs_window *w, int fd, uint64_t base);
/* What was not written is lost; the file stays as it is. */
void erofs_window_close(struct erofs_window *w);

/*
 * Where to put size bytes that go at bytes behind base, until the next call. It fails
 * where what stands in their way cannot be written.
 */
int erofs_window_at(struct erofs_window *w, uint64_t at, size_t size, uint8_t **ret, struct err *e);

/* Write what is left, up to end bytes behind base. */
int erofs_window_finish(struct erofs_window *w, uint64_t end, struct err *e);

#endif
