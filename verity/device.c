// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "verity/device.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "lib/cleanup.h"

int device_node_open(const char *path, unsigned int major, unsigned int minor, struct err *e)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return err_errno(e, FAIL_DEVICE_READ_FAILED, "open %s", path);
	if (fstat(fd, &st) || !S_ISBLK(st.st_mode) || st.st_rdev != makedev(major, minor))
		return err_set(e, FAIL_DEVICE_READ_FAILED, ENODEV, "%s is not device %u:%u", path,
			       major, minor);
	return steal_fd(&fd);
}
