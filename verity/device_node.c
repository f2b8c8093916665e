// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "verity/device.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "lib/cleanup.h"

int device_node_open(int dev, const char *name, unsigned int major, unsigned int minor,
		     struct err *e)
{
	auto_fd int fd = openat(dev, name, O_RDONLY | O_CLOEXEC);
	const char *folder = *name == '/' ? "" : "/dev/";
	struct stat st;

	if (fd < 0)
		return err_errno(e, FAIL_DEVICE_READ_FAILED, "open %s%s", folder, name);
	if (fstat(fd, &st))
		return err_errno(e, FAIL_SYSTEM_CALL_FAILED, "stat %s%s", folder, name);
	if (!S_ISBLK(st.st_mode) || st.st_rdev != makedev(major, minor))
		return err_set(e, FAIL_DEVICE_READ_FAILED, ENODEV, "%s%s is not block device %u:%u",
			       folder, name, major, minor);
	/* Blocks here and there, not what the kernel would like to read ahead and verify. */
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	return steal_fd(&fd);
}
