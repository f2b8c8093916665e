// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/fs/explain.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "lib/array.h"
#include "lib/le.h"
#include "lib/sys.h"
#include "mount/fs/erofs.h"
#include "mount/fs/erofs_kernel.h"

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

/* The options for it, with " or " between; how long the text is. */
static size_t list_options(const struct refused_mount *m, char *options, size_t size)
{
	unsigned int used = used_compressions(m->type, m->start, m->size);
	size_t length = 0;

	options[0] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(compressions); i++) {
		const struct compression *c = &compressions[i];

		if (!strcmp(c->type, m->type) && used & 1U << c->number)
			length += (size_t)snprintf(options + length, size - length, "%s%s",
						   length ? " or " : "", c->option);
	}
	return length;
}

/* struct ext4_super_block, s_log_block_size; the superblock starts at 1024. */
#define EXT4_AT_BLOCK_SIZE  (1024 + 24)
#define EXT4_LOG_BLOCK_SIZE 6

/* Bytes, 0: unknown. Those that adapt to any device (squashfs) have none that counts. */
static uint32_t fs_block_size(const struct refused_mount *m)
{
	struct erofs_superblock sb;
	uint64_t log_size;

	if (!strcmp(m->type, "erofs"))
		return erofs_superblock_read(m->start, m->size, &sb) ? 0 : sb.block_size;
	log_size = le_get(m->start + EXT4_AT_BLOCK_SIZE, 4);
	return strcmp(m->type, "ext4") || log_size > EXT4_LOG_BLOCK_SIZE ? 0 : 1024U << log_size;
}

/*
 * File systems begin a line about a device with "erofs (device dm-0): ",
 * "EXT4-fs (dm-0): " or "XFS (dm-0): ". What stands behind the last one of these
 * in a log, which is cut up; NULL where there is none.
 */
static const char *find_words(char *log, const char *device)
{
	char name[48];
	const char *words = NULL, *line;

	snprintf(name, sizeof(name), "%s): ", device);
	while ((line = strsep(&log, "\n"))) {
		const char *at = strstr(line, name);

		if (at && at > line && (at[-1] == '(' || at[-1] == ' '))
			words = at + strlen(name);
	}
	return words && *words ? words : NULL;
}

static int add_kernel_words(const char *device, int r, struct err *e)
{
	char log[4096], text[ERR_TEXT_SIZE];
	int n = sys_kernel_log(log, sizeof(log) - 1);
	const char *words;

	if (n <= 0 || !e)
		return r;
	log[n] = '\0';
	words = find_words(log, device);
	if (!words)
		return r;
	memcpy(text, e->text, sizeof(text));
	return err_set(e, strstr(words, "feature") ? FAIL_KERNEL_FEATURE_MISSING : e->code, -r,
		       "%s (%s)", text, words);
}

/* An erofs with features that this kernel is too old for: e says so, where they are known. */
static void name_newer_features(const struct refused_mount *m, struct err *e)
{
	struct erofs_superblock sb;
	struct utsname name;

	if (!strcmp(m->type, "erofs") && !uname(&name) &&
	    !erofs_superblock_read(m->start, m->size, &sb))
		(void)erofs_kernel_lacks(&sb, name.release, e);
}

int kernel_explain_mount(const struct refused_mount *m, int r, struct err *e)
{
	bool known = m->size == KERNEL_START_SIZE;
	uint32_t block_size = known ? fs_block_size(m) : 0;
	char options[256];

	if (block_size && block_size < m->block_size)
		return err_set(
			e, FAIL_VERITY_PARAMS_INVALID, -r,
			"the %s has blocks of %u bytes, and verity's are %u: no kernel mounts "
			"that",
			m->type, block_size, m->block_size);
	if (known && may_lack_compression(m->type, r, e) &&
	    list_options(m, options, sizeof(options)))
		return err_set(e, FAIL_KERNEL_FEATURE_MISSING, -r,
			       "the %s is compressed in a way for which the kernel lacks %s",
			       m->type, options);
	if (known)
		name_newer_features(m, e);
	return add_kernel_words(m->device, r, e);
}
