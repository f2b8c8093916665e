// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "lib/sha256.h"

#include <errno.h>
#include <linux/if_alg.h>
#include <sys/socket.h>

#include "lib/cleanup.h"

/* A socket takes this much at once without a limit of the system in the way. */
#define CHUNK 16384

static int send_all(int fd, const char *data, size_t size)
{
	while (size) {
		size_t chunk = size < CHUNK ? size : CHUNK;
		ssize_t n = send(fd, data, chunk, size > chunk ? MSG_MORE : 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		/* a short count would have ended the message */
		if ((size_t)n != chunk)
			return -EIO;
		data += n;
		size -= (size_t)n;
	}
	return 0;
}

int sha256(const void *data, size_t size, uint8_t ret[SHA256_SIZE])
{
	struct sockaddr_alg address = {
		.salg_family = AF_ALG,
		.salg_type = "hash",
		.salg_name = "sha256",
	};
	auto_fd int socket_fd = socket(AF_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	auto_fd int fd = -1;
	int r;

	if (socket_fd < 0 || bind(socket_fd, (struct sockaddr *)&address, sizeof(address)))
		return -errno;
	fd = accept4(socket_fd, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = send_all(fd, data, size);
	if (r)
		return r;
	return recv(fd, ret, SHA256_SIZE, 0) == SHA256_SIZE ? 0 : -EIO;
}
