// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "lib/io.h"

#include <errno.h>
#include <unistd.h>

ssize_t io_read(int fd, void *buf, size_t size)
{
	char *at = buf;
	size_t done = 0;

	while (done < size) {
		ssize_t n = read(fd, at + done, size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

ssize_t io_pread(int fd, void *buf, size_t size, uint64_t offset_bytes)
{
	char *at = buf;
	size_t done = 0;

	while (done < size) {
		ssize_t n = pread(fd, at + done, size - done, (off_t)(offset_bytes + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

int io_write(int fd, const void *buf, size_t size)
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

int io_pwrite(int fd, const void *buf, size_t size, uint64_t offset_bytes)
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
