/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_BASE_SLICE_H
#define IMAGE_BUILD_BASE_SLICE_H

#include <stdint.h>
#include <sys/types.h>

/* A part of a file that is looked at like a device: a whole image, a partition. */
struct slice {
	int fd;                /* borrowed */
	uint64_t offset, size; /* bytes */
};

/* As io_pread(), from the slice's beginning and never beyond its end. */
ssize_t slice_read(const struct slice *x, void *to, size_t size, uint64_t at);

#endif
