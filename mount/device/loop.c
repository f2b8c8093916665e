// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/device/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "lib/cleanup.h"
#include "lib/sys.h"

#define SECTOR_BYTES 512

/* Each time it fails somebody else has taken the free one. */
#define ATTEMPTS_MAX 256

static int open_file(const char *path, struct stat *st, struct err *e)
{
	auto_fd int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, st))
		return err_errno(e,
				 errno == ENOENT || errno == ENOTDIR ? FAIL_DEVICE_NOT_FOUND :
								       FAIL_SYSTEM_CALL_FAILED,
				 "open %.200s", path);
	if (!S_ISREG(st->st_mode))
		return err_set(e, FAIL_DEVICE_NOT_FOUND, ENODEV, "%.200s is not a regular file",
			       path);
	return steal_fd(&fd);
}

/* One attempt: a descriptor, or -EBUSY where another one was faster. */
static int attach(int control, int file, char name[BLOCKDEV_NAME_SIZE])
{
	struct loop_config config = {
		.fd = (unsigned int)file,
		.block_size = SECTOR_BYTES,
		/* Where the file cannot be read so, the kernel drops the last of them. */
		.info.lo_flags = LO_FLAGS_READ_ONLY | LO_FLAGS_AUTOCLEAR | LO_FLAGS_DIRECT_IO,
	};
	int number = sys_loop_get_free(control);
	char path[BLOCKDEV_NAME_SIZE + 5];
	auto_fd int fd = -1;

	if (number < 0)
		return -errno;
	snprintf(name, BLOCKDEV_NAME_SIZE, "loop%d", number);
	snprintf(path, sizeof(path), "/dev/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || sys_loop_configure(fd, &config))
		return -errno;
	return steal_fd(&fd);
}

static int attach_free(int control, int file, char name[BLOCKDEV_NAME_SIZE])
{
	int fd = -EBUSY;

	for (int i = 0; fd == -EBUSY && i < ATTEMPTS_MAX; i++)
		fd = attach(control, file, name);
	return fd;
}

int loop_attach(const char *path, struct blockdev *ret, int *ret_fd, struct err *e)
{
	struct blockdev loop = { .sector_bytes = SECTOR_BYTES };
	auto_fd int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	auto_fd int file = -1, fd = -1;
	struct stat st, node;

	if (control < 0 && (errno == ENOENT || errno == ENODEV))
		return err_set(e, FAIL_KERNEL_FEATURE_MISSING, ENODEV,
			       "the kernel lacks CONFIG_BLK_DEV_LOOP: %.200s cannot become a disk",
			       path);
	if (control < 0)
		return err_errno(e, FAIL_SYSTEM_CALL_FAILED, "open /dev/loop-control");
	file = open_file(path, &st, e);
	if (file < 0)
		return file;
	fd = attach_free(control, file, loop.name);
	if (fd < 0)
		return err_result(e, FAIL_SYSTEM_CALL_FAILED, fd, "make a loop device of %.200s",
				  path);
	if (fstat(fd, &node))
		return err_errno(e, FAIL_SYSTEM_CALL_FAILED, "stat /dev/%s", loop.name);
	loop.major = major(node.st_rdev);
	loop.minor = minor(node.st_rdev);
	loop.size_bytes = (uint64_t)st.st_size / SECTOR_BYTES * SECTOR_BYTES;
	*ret = loop;
	*ret_fd = steal_fd(&fd);
	return 0;
}
