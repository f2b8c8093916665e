/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_BASE_SPOOL_H
#define IMAGE_BUILD_BASE_SPOOL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/err.h"

/*
 * Where the contents of files wait between reading a layer and writing an
 * image: an unlinked file that grows at its end.
 */
struct spool {
	int fd;
	uint64_t size; /* bytes written so far */
};

/* A piece of a file that is data; what no extent covers is a hole. */
struct extent {
	uint64_t offset; /* in the file */
	uint64_t size;
	uint64_t spooled; /* where it stands in the spool */
};

struct content {
	int spool_fd; /* borrowed from the spool */
	size_t count, room;
	struct extent *extents; /* ascending, never overlapping */
};

/* Add data at an offset that is not below the end of what was added before. */
int content_add(struct content *c, struct spool *s, const void *bytes, size_t size, uint64_t offset,
		struct err *e);

/*
 * Read from a file of file_size bytes, holes as zeroes. Returns the number of
 * bytes, 0 at the end, -errno on failure.
 */
ssize_t content_read(const struct content *c, uint64_t file_size, void *buf, size_t size,
		     uint64_t offset, struct err *e);

#endif
