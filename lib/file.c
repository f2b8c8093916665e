// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "lib/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"

ssize_t file_read_at(int dirfd, const char *path, char *text, size_t size)
{
	auto_fd int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC);
	size_t used = 0;

	if (fd < 0)
		return -errno;
	while (used < size) {
		ssize_t n = read(fd, text + used, size - used);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		used += (size_t)n;
	}
	if (used == size)
		return -EFBIG;
	text[used] = '\0';
	return (ssize_t)used;
}

int file_write_at(int dirfd, const char *path, const char *text)
{
	auto_fd int fd = openat(dirfd, path, O_WRONLY | O_CLOEXEC);
	size_t size = strlen(text);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, text, size);
	if (n < 0)
		return -errno;
	return (size_t)n == size ? 0 : -EIO;
}
