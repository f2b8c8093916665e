// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "lib/io.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"

/* From an offset where there is one, else from where the descriptor is. */
static ssize_t read_all(int fd, char *to, size_t size, const uint64_t *offset_bytes)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = offset_bytes ? pread(fd, to + done, size - done,
						 (off_t)(*offset_bytes + done)) :
					   read(fd, to + done, size - done);

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

ssize_t io_read(int fd, void *buf, size_t size)
{
	return read_all(fd, buf, size, NULL);
}

ssize_t io_pread(int fd, void *buf, size_t size, uint64_t offset_bytes)
{
	return read_all(fd, buf, size, &offset_bytes);
}

ssize_t io_read_text_of(int fd, char *text, size_t size)
{
	ssize_t n = io_read(fd, text, size);

	if (n < 0)
		return n;
	if ((size_t)n == size)
		return -EFBIG;
	text[n] = '\0';
	return n;
}

ssize_t io_read_text(int dir, const char *path, char *text, size_t size)
{
	auto_fd int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : io_read_text_of(fd, text, size);
}

int io_pwrite(int fd, const void *buf, size_t size, uint64_t offset_bytes)
{
	const char *from = buf;

	while (size) {
		ssize_t n = pwrite(fd, from, size, (off_t)offset_bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		from += n;
		size -= (size_t)n;
		offset_bytes += (uint64_t)n;
	}
	return 0;
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
