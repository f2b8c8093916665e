/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_BASE_UNPACK_H
#define IMAGE_BUILD_BASE_UNPACK_H

#include "image-build/base/spool.h"
#include "lib/err.h"

/*
 * Read a whole file into the spool, unpacked where it is gzip, xz or zstd (as
 * kernel modules are). max is a limit on the unpacked bytes.
 */
int unpack_file(const char *path, uint64_t max, struct spool *s, struct content *ret,
		uint64_t *ret_size, struct err *e);

#endif
