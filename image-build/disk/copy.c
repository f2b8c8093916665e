// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/disk/copy.h"

#include <stdbool.h>
#include <string.h>

#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/base/write.h"

#define CHUNK (1U << 20)
#define HOLE  65536U /* bytes; shorter runs of zeros are written */

static bool is_zero(const uint8_t *bytes, size_t size)
{
	return !bytes[0] && !memcmp(bytes, bytes + 1, size - 1);
}

static int put(const uint8_t *bytes, size_t size, int fd, uint64_t at)
{
	int r = 0;

	for (size_t i = 0; !r && i < size; i += HOLE) {
		size_t n = size - i < HOLE ? size - i : HOLE;

		if (!is_zero(bytes + i, n))
			r = write_all_at(fd, bytes + i, n, at + i);
	}
	return r;
}

int slice_copy(const struct slice *from, int fd, uint64_t offset_bytes, struct err *e)
{
	uint8_t *chunk = memory_zero(1, CHUNK);
	int r = 0;

	for (uint64_t at = 0; !r && at < from->size; at += CHUNK) {
		size_t size = from->size - at < CHUNK ? (size_t)(from->size - at) : CHUNK;
		ssize_t n = slice_read(from, chunk, size, at);

		if (n != (ssize_t)size)
			r = system_result(e, n, "read the image");
		else if (put(chunk, size, fd, offset_bytes + at))
			r = system_failed(e, "write the disk");
	}
	free(chunk);
	return r;
}
