// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/base/slice.h"

#include "lib/io.h"

ssize_t slice_read(const struct slice *x, void *to, size_t size, uint64_t at)
{
	if (at >= x->size)
		return 0;
	if (size > x->size - at)
		size = (size_t)(x->size - at);
	return io_pread(x->fd, to, size, x->offset + at);
}
