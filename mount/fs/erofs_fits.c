// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/fs/erofs_fits.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/hex.h"
#include "lib/io.h"
#include "mount/fs/erofs.h"
#include "mount/fs/erofs_kernel.h"

static int find_size(int fd, uint64_t *ret, struct err *e)
{
	off_t size = lseek(fd, 0, SEEK_END);

	if (size < 0)
		return err_errno(e, FAIL_DEVICE_READ_FAILED, "ask for the erofs' size");
	*ret = (uint64_t)size;
	return 0;
}

/* 0, or 1 where it is no erofs. */
static int read_superblock(int fd, struct erofs_superblock *ret, struct err *e)
{
	uint8_t start[EROFS_SUPERBLOCK_OFFSET + EROFS_SUPERBLOCK_SIZE];
	ssize_t n = io_pread(fd, start, sizeof(start), 0);

	if (n != (ssize_t)sizeof(start))
		return err_result(e, FAIL_DEVICE_READ_FAILED, n, "read the erofs' superblock");
	return erofs_superblock_read(start, sizeof(start), ret) ? 1 : 0;
}

/* 1 where the numbers of slot i cannot be. */
static int read_slot(int fd, const struct erofs_superblock *sb, size_t i, struct erofs_device *ret,
		     struct err *e)
{
	uint8_t entry[EROFS_DEVICE_SIZE];
	ssize_t n = io_pread(fd, entry, sizeof(entry),
			     sb->device_table_bytes + (uint64_t)i * EROFS_DEVICE_SIZE);

	if (n != (ssize_t)sizeof(entry))
		return err_result(e, FAIL_DEVICE_READ_FAILED, n,
				  "read the erofs' table of devices");
	return erofs_device_read(entry, sb, ret) ? 1 : 0;
}

static int check_kernel(const struct erofs_superblock *sb, bool flat, struct err *e)
{
	struct utsname name;
	const struct erofs_machine machine = {
		.release = uname(&name) ? "" : name.release,
		.page_size = (uint32_t)sysconf(_SC_PAGESIZE),
	};

	return erofs_kernel_can(sb, flat, &machine, e);
}

static int wrong_count(const struct erofs_superblock *sb, size_t count, struct err *e)
{
	char given[24] = "none";

	if (count)
		snprintf(given, sizeof(given), "%zu", count);
	return err_set(e, FAIL_MOUNT_FAILED, ENODEV,
		       "the erofs has its data on %u further device%s, and the volume names %s",
		       sb->extra_devices, sb->extra_devices == 1 ? "" : "s", given);
}

/* A kernel that is given no further device looks for its data on the first one. */
static int check_flat(int fd, const struct erofs_superblock *sb, uint64_t size, struct err *e)
{
	for (unsigned int i = 0; i < sb->extra_devices; i++) {
		struct erofs_device d;
		int r = read_slot(fd, sb, i, &d, e);

		if (r < 0)
			return r;
		if (r || !d.start_bytes || d.end_bytes > size)
			return wrong_count(sb, 0, e);
	}
	return check_kernel(sb, true, e);
}

static int check_covered(const struct erofs_superblock *sb, uint64_t size, const char *who,
			 enum fail_code code, struct err *e)
{
	if (sb->size_bytes <= size)
		return 0;
	return err_set(e, code, EINVAL, "%s %llu bytes and the file system has %llu", who,
		       (unsigned long long)size, (unsigned long long)sb->size_bytes);
}

int erofs_fits(int fd, bool host_sized, struct err *e)
{
	struct erofs_superblock sb;
	uint64_t size;
	int r = read_superblock(fd, &sb, e);

	if (r)
		return r < 0 ? r : 0;
	r = find_size(fd, &size, e);
	if (!r && host_sized)
		r = check_covered(&sb, size, "the verity superblock covers",
				  FAIL_VERITY_PARAMS_INVALID, e);
	return r ? r : check_flat(fd, &sb, size, e);
}

/* The UUID of the file system that a slot means; false: its tag says something else. */
static bool read_tag(const struct erofs_device *d, uint8_t uuid[UUID_SIZE])
{
	return strlen(d->tag) == 2 * (size_t)UUID_SIZE &&
	       hex_decode(d->tag, uuid, UUID_SIZE) == UUID_SIZE;
}

static int check_identity(int fd, const struct erofs_superblock *sb, const struct erofs_device *d,
			  const uint8_t uuid[UUID_SIZE], size_t i, struct err *e)
{
	char wanted[UUID_TEXT_SIZE], found[UUID_TEXT_SIZE];
	struct erofs_superblock own;
	int r = read_superblock(fd, &own, e);

	uuid_text(uuid, wanted);
	if (r < 0)
		return r;
	if (r)
		return err_set(e, FAIL_MOUNT_FAILED, ENODEV,
			       "further device %zu has no erofs, and slot %zu means the one with "
			       "UUID %s",
			       i + 1, i + 1, wanted);
	uuid_text(own.uuid, found);
	if (memcmp(own.uuid, uuid, UUID_SIZE))
		return err_set(e, FAIL_MOUNT_FAILED, ENODEV,
			       "further device %zu has the erofs with UUID %s, and slot %zu means "
			       "%s: files would have other files' bytes",
			       i + 1, found, i + 1, wanted);
	if (own.blocks != d->blocks || own.block_size != sb->block_size)
		return err_set(e, FAIL_MOUNT_FAILED, ENODEV,
			       "the erofs on further device %zu has %llu blocks of %u bytes, and "
			       "slot %zu means %llu of %u",
			       i + 1, (unsigned long long)own.blocks, own.block_size, i + 1,
			       (unsigned long long)d->blocks, sb->block_size);
	return 0;
}

static int check_slot(int fd, const struct erofs_superblock *sb, size_t i, int device_fd,
		      struct err *e)
{
	uint8_t uuid[UUID_SIZE];
	struct erofs_device d;
	uint64_t size, own_size, needed;
	int r = read_slot(fd, sb, i, &d, e);

	if (!r)
		r = find_size(device_fd, &size, e);
	if (!r)
		r = find_size(fd, &own_size, e);
	if (r < 0)
		return r;
	if (r || __builtin_mul_overflow(d.blocks, (uint64_t)sb->block_size, &needed))
		return err_set(e, FAIL_MOUNT_FAILED, EINVAL,
			       "slot %zu of the erofs' table of devices has impossible numbers",
			       i + 1);
	if (size < needed)
		return err_set(e, FAIL_DEVICE_TOO_SMALL, ENOSPC,
			       "further device %zu has %llu bytes, and slot %zu of the erofs "
			       "means %llu",
			       i + 1, (unsigned long long)size, i + 1, (unsigned long long)needed);
	if (!read_tag(&d, uuid))
		return 0;
	r = check_covered(sb, own_size, "the first device has", FAIL_DEVICE_TOO_SMALL, e);
	return r ? r : check_identity(device_fd, sb, &d, uuid, i, e);
}

int erofs_slots_fit(int fd, const int *device_fds, size_t count, struct err *e)
{
	struct erofs_superblock sb;
	int r = read_superblock(fd, &sb, e);

	if (r)
		return r < 0 ? r :
			       err_set(e, FAIL_MOUNT_FAILED, EINVAL,
				       "it is not an erofs, which alone may have further devices");
	if (count != sb.extra_devices)
		return wrong_count(&sb, count, e);
	for (size_t i = 0; i < count; i++) {
		r = check_slot(fd, &sb, i, device_fds[i], e);
		if (r)
			return r;
	}
	return check_kernel(&sb, false, e);
}
