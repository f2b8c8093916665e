// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/fs/erofs_fits.h"

#include <errno.h>
#include <unistd.h>

#include "lib/io.h"
#include "mount/fs/erofs.h"

/* A kernel that is given no further device looks for its data on the first one. */
static int check_devices(int fd, const struct erofs_superblock *sb, uint64_t size, struct err *e)
{
	for (unsigned int i = 0; i < sb->extra_devices; i++) {
		uint64_t at = sb->device_table_bytes + (uint64_t)i * EROFS_DEVICE_SIZE;
		uint8_t entry[EROFS_DEVICE_SIZE];
		struct erofs_device d;
		ssize_t n = io_pread(fd, entry, sizeof(entry), at);

		if (n != (ssize_t)sizeof(entry))
			return err_result(e, FAIL_DEVICE_READ_FAILED, n,
					  "read the erofs' table of devices");
		if (!erofs_device_read(entry, sb, &d) && d.start_bytes && d.end_bytes <= size)
			continue;
		return err_set(e, FAIL_MOUNT_FAILED, ENODEV,
			       "the erofs has its data on %u further device%s, and the volume "
			       "names none",
			       sb->extra_devices, sb->extra_devices == 1 ? "" : "s");
	}
	return 0;
}

int erofs_fits(int fd, bool host_sized, struct err *e)
{
	uint8_t start[EROFS_SUPERBLOCK_OFFSET + EROFS_SUPERBLOCK_SIZE];
	ssize_t n = io_pread(fd, start, sizeof(start), 0);
	off_t size = lseek(fd, 0, SEEK_END);
	struct erofs_superblock sb;

	if (n != (ssize_t)sizeof(start))
		return err_result(e, FAIL_DEVICE_READ_FAILED, n, "read the erofs' superblock");
	if (size < 0)
		return err_errno(e, FAIL_DEVICE_READ_FAILED, "ask for the erofs' size");
	if (erofs_superblock_read(start, sizeof(start), &sb))
		return 0;
	if (host_sized && sb.size_bytes > (uint64_t)size)
		return err_set(e, FAIL_VERITY_PARAMS_INVALID, EINVAL,
			       "the verity superblock covers %llu bytes and the file system has "
			       "%llu",
			       (unsigned long long)size, (unsigned long long)sb.size_bytes);
	return check_devices(fd, &sb, (uint64_t)size, e);
}
