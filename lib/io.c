// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "lib/io.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"

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

ssize_t io_read_text(int dir, const char *path, char *text, size_t size)
{
	auto_fd int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = io_read(fd, text, size);
	if (n < 0)
		return n;
	if ((size_t)n == size)
		return -EFBIG;
	text[n] = '\0';
	return n;
}

int io_write_text(int dir, const char *path, const char *text)
{
	auto_fd int fd = openat(dir, path, O_WRONLY | O_CLOEXEC);
	size_t size = strlen(text);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, text, size);
	if (n < 0)
		return -errno;
	return (size_t)n == size ? 0 : -EIO;
}
