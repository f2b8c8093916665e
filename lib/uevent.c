// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "lib/uevent.h"

#include <errno.h>
#include <linux/netlink.h>
#include <sys/socket.h>

#include "lib/cleanup.h"

/* Room for the uevents of some hundred disks that appear at once. */
#define RECEIVE_BUFFER (4 * 1024 * 1024)

/* The multicast group of the kernel's own events; group 2 is udevd's. */
#define KERNEL_GROUP 1

int uevent_open(void)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP };
	auto_fd int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
				NETLINK_KOBJECT_UEVENT);
	int size = RECEIVE_BUFFER;

	if (fd < 0)
		return -errno;
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)))
		return -errno;
	return steal_fd(&fd);
}

int uevent_next(int fd, struct uevent *ret)
{
	for (;;) {
		struct sockaddr_nl from = { 0 };
		socklen_t from_size = sizeof(from);
		ssize_t n = recvfrom(fd, ret->text, UEVENT_SIZE, 0, (struct sockaddr *)&from,
				     &from_size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? 0 : -errno;
		if (from.nl_pid || !n)
			continue;
		ret->size = (size_t)n;
		ret->text[n] = '\0';
		return 1;
	}
}
