// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/fs/explain.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/array.h"
#include "lib/le.h"
#include "mount/fs/erofs.h"

static const struct {
	const char *type, *option;
} type_options[] = {
	{ "erofs", "CONFIG_EROFS_FS" },    { "overlay", "CONFIG_OVERLAY_FS" },
	{ "tmpfs", "CONFIG_TMPFS" },       { "squashfs", "CONFIG_SQUASHFS" },
	{ "ext4", "CONFIG_EXT4_FS" },      { "xfs", "CONFIG_XFS_FS" },
	{ "devtmpfs", "CONFIG_DEVTMPFS" }, { "proc", "CONFIG_PROC_FS" },
	{ "sysfs", "CONFIG_SYSFS" },
};

int kernel_lacks_fstype(const char *type, struct err *e)
{
	const char *option = "the option for it";

	for (size_t i = 0; i < ARRAY_SIZE(type_options); i++)
		if (!strcmp(type_options[i].type, type))
			option = type_options[i].option;
	return err_set(e, FAIL_KERNEL_FEATURE_MISSING, ENODEV,
		       "the kernel has no file system %s: %s is off, or its module is not in the "
		       "initramfs",
		       type, option);
}

/*
 * A compression that a file system's superblock names by this number. Sources:
 * the kernel's fs/erofs/erofs_fs.h (Z_EROFS_COMPRESSION_…) and
 * fs/squashfs/squashfs_fs.h (…_COMPRESSION).
 */
static const struct compression {
	const char *type;
	unsigned int number;
	const char *option;
} compressions[] = {
	{ "erofs", 0, "CONFIG_EROFS_FS_ZIP" },         { "erofs", 1, "CONFIG_EROFS_FS_ZIP_LZMA" },
	{ "erofs", 2, "CONFIG_EROFS_FS_ZIP_DEFLATE" }, { "erofs", 3, "CONFIG_EROFS_FS_ZIP_ZSTD" },
	{ "squashfs", 1, "CONFIG_SQUASHFS_ZLIB" },     { "squashfs", 3, "CONFIG_SQUASHFS_LZO" },
	{ "squashfs", 4, "CONFIG_SQUASHFS_XZ" },       { "squashfs", 5, "CONFIG_SQUASHFS_LZ4" },
	{ "squashfs", 6, "CONFIG_SQUASHFS_ZSTD" },
};

#define SQUASHFS_AT_COMPRESSION 20

/*
 * The compressions of a file system, a bit for each number. An erofs that has
 * some needs LZ4's option for all of them.
 */
static unsigned int used_compressions(const char *type, const uint8_t *start, size_t size)
{
	struct erofs_superblock sb;
	uint64_t number;

	if (!strcmp(type, "erofs"))
		return !erofs_superblock_read(start, size, &sb) &&
				       sb.incompat & EROFS_INCOMPAT_COMPR_CFGS ?
			       sb.algorithms | 1 :
			       0;
	number = le_get(start + SQUASHFS_AT_COMPRESSION, 2);
	return number < 16 ? 1U << number : 0;
}

/* How the kernel says that it lacks a compression, which may mean other things too. */
static bool may_lack_compression(const char *type, int r, const struct err *e)
{
	if (!strcmp(type, "erofs"))
		return r == -EOPNOTSUPP;
	return !strcmp(type, "squashfs") && r == -EINVAL && e && strstr(e->text, "compression");
}

int kernel_explain_mount(const char *type, const uint8_t *start, size_t size, int r, struct err *e)
{
	char options[256] = "";
	unsigned int used;
	size_t length = 0;

	if (size < KERNEL_START_SIZE || !may_lack_compression(type, r, e))
		return r;
	used = used_compressions(type, start, size);
	for (size_t i = 0; i < ARRAY_SIZE(compressions); i++) {
		const struct compression *c = &compressions[i];

		if (!strcmp(c->type, type) && used & 1U << c->number)
			length += (size_t)snprintf(options + length, sizeof(options) - length,
						   "%s%s", length ? " or " : "", c->option);
	}
	if (!length)
		return r;
	return err_set(e, FAIL_KERNEL_FEATURE_MISSING, -r,
		       "the %s is compressed in a way for which the kernel lacks %s", type,
		       options);
}
