// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <errno.h>
#include <string.h>

#include "mount/fs/explain.h"
#include "mount/device/probe.h"

#define REFUSED       "mount x on y: create: refused"
#define SQUASHFS_SAYS "(squashfs: Filesystem uses \"zstd\" compression. This is not supported)"

/* Every type that is mounted by its name has an option. */
static void test_fstypes(void **state)
{
	static const char *const others[] = { "overlay", "tmpfs", "devtmpfs", "proc", "sysfs" };
	struct err e = { 0 };

	(void)state;
	for (size_t i = 0; fstypes[i]; i++)
		expect_failure(fstypes[i], kernel_lacks_fstype(fstypes[i], &e), &e,
			       FAIL_KERNEL_FEATURE_MISSING, ": CONFIG_");
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		expect_failure(others[i], kernel_lacks_fstype(others[i], &e), &e,
			       FAIL_KERNEL_FEATURE_MISSING, ": CONFIG_");
	assert_int_equal(kernel_lacks_fstype("erofs", &e), -ENODEV);
	assert_string_equal(e.text, "the kernel has no file system erofs: CONFIG_EROFS_FS is off, "
				    "or its module is not in the initramfs");
	expect_failure("other", kernel_lacks_fstype("nfs", &e), &e, FAIL_KERNEL_FEATURE_MISSING,
		       "no file system nfs: the option for it is off");
}

/* A superblock's bytes: incompatible features and algorithms of erofs, number of squashfs. */
static const struct row {
	const char *type;
	unsigned int features, number;
	int r;
	const char *text;
	const char *words; /* NULL: the sentence stays as it was */
} rows[] = {
	{ "erofs", 0x3, 0x1, -EOPNOTSUPP, REFUSED, "lacks CONFIG_EROFS_FS_ZIP" },
	{ "erofs", 0x3, 0x2, -EOPNOTSUPP, REFUSED,
	  "lacks CONFIG_EROFS_FS_ZIP or CONFIG_EROFS_FS_ZIP_LZMA" },
	{ "erofs", 0x3, 0x4, -EOPNOTSUPP, REFUSED,
	  "lacks CONFIG_EROFS_FS_ZIP or CONFIG_EROFS_FS_ZIP_DEFLATE" },
	{ "erofs", 0x3, 0x8, -EOPNOTSUPP, REFUSED,
	  "lacks CONFIG_EROFS_FS_ZIP or CONFIG_EROFS_FS_ZIP_ZSTD" },
	{ "erofs", 0x2, 0xffff, -EOPNOTSUPP, REFUSED,
	  "lacks CONFIG_EROFS_FS_ZIP or CONFIG_EROFS_FS_ZIP_LZMA or "
	  "CONFIG_EROFS_FS_ZIP_DEFLATE or CONFIG_EROFS_FS_ZIP_ZSTD" },
	/* without the feature the two bytes are something else */
	{ "erofs", 0x1, 0x8, -EOPNOTSUPP, REFUSED, NULL },
	{ "erofs", 0x3, 0x8, -EINVAL, REFUSED, NULL },
	{ "squashfs", 0, 1, -EINVAL, SQUASHFS_SAYS, "lacks CONFIG_SQUASHFS_ZLIB" },
	{ "squashfs", 0, 3, -EINVAL, SQUASHFS_SAYS, "lacks CONFIG_SQUASHFS_LZO" },
	{ "squashfs", 0, 4, -EINVAL, SQUASHFS_SAYS, "lacks CONFIG_SQUASHFS_XZ" },
	{ "squashfs", 0, 5, -EINVAL, SQUASHFS_SAYS, "lacks CONFIG_SQUASHFS_LZ4" },
	{ "squashfs", 0, 6, -EINVAL, SQUASHFS_SAYS, "lacks CONFIG_SQUASHFS_ZSTD" },
	/* one that no option gives, and numbers that are none */
	{ "squashfs", 0, 2, -EINVAL, SQUASHFS_SAYS, NULL },
	{ "squashfs", 0, 16, -EINVAL, SQUASHFS_SAYS, NULL },
	{ "squashfs", 0, 0xffff, -EINVAL, SQUASHFS_SAYS, NULL },
	/* refused for another reason */
	{ "squashfs", 0, 6, -EINVAL, REFUSED, NULL },
	{ "squashfs", 0, 6, -EIO, SQUASHFS_SAYS, NULL },
	{ "ext4", 0x3, 0x8, -EOPNOTSUPP, REFUSED, NULL },
};

static void test_compressions(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		uint8_t start[KERNEL_START_SIZE] = { 0 };
		struct err e = { 0 };
		enum fail_code code = row->words ? FAIL_KERNEL_FEATURE_MISSING : FAIL_MOUNT_FAILED;

		start[20] = (uint8_t)row->number;
		start[21] = (uint8_t)(row->number >> 8);
		memcpy(start + 1024, "\xe2\xe1\xf5\xe0", 4);
		start[1024 + 12] = 12;
		start[1024 + 36] = 1;
		start[1024 + 80] = (uint8_t)row->features;
		start[1024 + 84] = (uint8_t)row->number;
		start[1024 + 85] = (uint8_t)(row->number >> 8);
		(void)err_set(&e, FAIL_MOUNT_FAILED, -row->r, "%s", row->text);
		assert_int_equal(kernel_explain_mount(row->type, start, sizeof(start), row->r, &e),
				 row->r);
		expect_failure(row->type, row->r, &e, code, row->words ? row->words : row->text);
		/* nothing is named that the image does not use */
		if (row->words)
			assert_string_equal(strstr(e.text, "lacks "), row->words);
		/* and where it could not be read, nothing is added */
		(void)err_set(&e, FAIL_MOUNT_FAILED, -row->r, "%s", row->text);
		(void)kernel_explain_mount(row->type, start, sizeof(start) - 1, row->r, &e);
		assert_string_equal(e.text, row->text);
		assert_int_equal(kernel_explain_mount(row->type, start, sizeof(start), row->r,
						      NULL),
				 row->r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fstypes),
		cmocka_unit_test(test_compressions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
