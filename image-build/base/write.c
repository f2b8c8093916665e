// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/base/write.h"

#include <errno.h>
#include <unistd.h>

/* To an offset where there is one, else to where the descriptor is. */
static int put_all(int fd, const char *from, size_t size, const uint64_t *offset_bytes)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = offset_bytes ? pwrite(fd, from + done, size - done,
						  (off_t)(*offset_bytes + done)) :
					   write(fd, from + done, size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		done += (size_t)n;
	}
	return 0;
}

int write_all(int fd, const void *buf, size_t size)
{
	return put_all(fd, buf, size, NULL);
}

int write_all_at(int fd, const void *buf, size_t size, uint64_t offset_bytes)
{
	return put_all(fd, buf, size, &offset_bytes);
}
