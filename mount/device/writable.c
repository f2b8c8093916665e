// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/device/writable.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "lib/cleanup.h"

static int refuse(const char *path, int errnum, struct err *e)
{
	switch (errnum) {
	case EBUSY:
		return err_set(e, FAIL_SCRATCH_FAILED, EBUSY, "%s is in use", path);
	case EACCES:
	case EPERM:
	case EROFS:
		return err_set(e, FAIL_SCRATCH_FAILED, EROFS, "%s is read-only", path);
	default:
		return err_result(e, FAIL_SCRATCH_FAILED, -errnum, "open %s for writing", path);
	}
}

int device_open_writable(const char *path, unsigned int major, unsigned int minor, struct err *e)
{
	/* Of a block device O_EXCL means that nobody else has it to himself. */
	auto_fd int fd = open(path, O_RDWR | O_EXCL | O_DIRECT | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	int read_only;

	if (fd < 0)
		return refuse(path, errno, e);
	if (fstat(fd, &st))
		return err_errno(e, FAIL_SYSTEM_CALL_FAILED, "stat %s", path);
	if (!S_ISBLK(st.st_mode) || st.st_rdev != makedev(major, minor))
		return err_set(e, FAIL_SCRATCH_FAILED, ENODEV, "%s is not block device %u:%u", path,
			       major, minor);
	if (ioctl(fd, BLKROGET, &read_only) || read_only)
		return refuse(path, EROFS, e);
	return steal_fd(&fd);
}
