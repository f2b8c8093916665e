/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DISK_COPY_H
#define IMAGE_BUILD_DISK_COPY_H

#include <stdint.h>

#include "image-build/base/slice.h"
#include "lib/err.h"

/*
 * Copy a slice to an offset of a new file, where nothing has been written yet: what is
 * zero stays a hole. What is shorter than it says is refused.
 */
int slice_copy(const struct slice *from, int fd, uint64_t offset_bytes, struct err *e);

#endif
