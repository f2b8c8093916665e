// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/base/write.h"

#include <errno.h>
#include <unistd.h>

int write_all(int fd, const void *buf, size_t size)
{
	const char *at = buf;

	while (size) {
		ssize_t n = write(fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		at += n;
		size -= (size_t)n;
	}
	return 0;
}

int write_all_at(int fd, const void *buf, size_t size, uint64_t offset_bytes)
{
	const char *at = buf;

	while (size) {
		ssize_t n = pwrite(fd, at, size, (off_t)offset_bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		at += n;
		size -= (size_t)n;
		offset_bytes += (uint64_t)n;
	}
	return 0;
}
