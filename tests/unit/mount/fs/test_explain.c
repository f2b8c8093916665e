// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/utsname.h>

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
	{ "squashfs", 0, 0x24, -EINVAL, SQUASHFS_SAYS, NULL }, /* 4 is xz */
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
		struct refused_mount m = { row->type, "dm-3", 4096, start, sizeof(start) };
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
		start[1024 + 24] = 2; /* an ext4's block size */
		assert_int_equal(kernel_explain_mount(&m, row->r, &e), row->r);
		expect_failure(row->type, row->r, &e, code, row->words ? row->words : row->text);
		/* nothing is named that the image does not use */
		if (row->words)
			assert_string_equal(strstr(e.text, "lacks "), row->words);
		/* and where it could not be read, nothing is added */
		(void)err_set(&e, FAIL_MOUNT_FAILED, -row->r, "%s", row->text);
		assert_int_equal(kernel_explain_mount(&m, row->r, NULL), row->r);
		m.size--;
		(void)kernel_explain_mount(&m, row->r, &e);
		assert_string_equal(e.text, row->text);
	}
}

/* Smaller blocks than verity's: no kernel says more than "Invalid argument". */
static void test_block_sizes(void **state)
{
	static const struct {
		const char *type;
		uint8_t erofs_bits, ext4_log;
		uint32_t verity;
		const char *words; /* NULL: that is not why */
	} sizes[] = {
		{ "erofs", 9, 0, 4096, "the erofs has blocks of 512 bytes, and verity's are 4096" },
		{ "erofs", 12, 0, 4096, NULL },
		{ "erofs", 12, 0, 65536, "blocks of 4096 bytes, and verity's are 65536" },
		{ "erofs", 9, 0, 0, NULL },
		{ "erofs", 8, 0, 4096, NULL },
		{ "ext4", 0, 0, 4096, "the ext4 has blocks of 1024 bytes, and verity's are 4096" },
		{ "ext4", 0, 1, 4096, "blocks of 2048 bytes, and verity's are 4096" },
		{ "ext4", 0, 2, 4096, NULL },
		{ "ext4", 0, 0, 1024, NULL },
		{ "ext4", 0, 0xff, 4096, NULL },
		{ "squashfs", 9, 0, 4096, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		uint8_t start[KERNEL_START_SIZE] = { 0 };
		const struct refused_mount m = { sizes[i].type, "dm-3", sizes[i].verity, start,
						 sizeof(start) };
		struct err e = { 0 };

		memcpy(start + 1024, "\xe2\xe1\xf5\xe0", 4);
		start[1024 + 12] = sizes[i].erofs_bits;
		start[1024 + 36] = 1;
		if (!strcmp(sizes[i].type, "ext4"))
			start[1024 + 24] = sizes[i].ext4_log;
		(void)err_set(&e, FAIL_MOUNT_FAILED, EINVAL, REFUSED);
		assert_int_equal(kernel_explain_mount(&m, -EINVAL, &e), -EINVAL);
		expect_failure(sizes[i].type, -EINVAL, &e,
			       sizes[i].words ? FAIL_VERITY_PARAMS_INVALID : FAIL_MOUNT_FAILED,
			       sizes[i].words ? sizes[i].words : REFUSED);
	}
}

static const char *kernel_log;

int klogctl(int action, char *buf, int size)
{
	assert_int_equal(action, 3); /* SYSLOG_ACTION_READ_ALL */
	if (!kernel_log)
		return -1;
	return snprintf(buf, (size_t)size, "%s", kernel_log);
}

/* Any other reason is in the kernel's log, where it names the device. */
static void test_kernel_log(void **state)
{
	static const struct {
		const char *log;
		enum fail_code code;
		const char *text;
	} logs[] = {
		{ NULL, FAIL_MOUNT_FAILED, REFUSED },
		{ "", FAIL_MOUNT_FAILED, REFUSED },
		{ "<3>[    1.2] erofs (device dm-3): unidentified incompatible feature 80, please "
		  "upgrade kernel\n",
		  FAIL_KERNEL_FEATURE_MISSING,
		  REFUSED " (unidentified incompatible feature 80, please upgrade kernel)" },
		{ "<3>[    1.2] EXT4-fs (dm-3): bad geometry\n<4>[    1.3] EXT4-fs (dm-3): "
		  "VFS: Can't find ext4 filesystem",
		  FAIL_MOUNT_FAILED, REFUSED " (VFS: Can't find ext4 filesystem)" },
		/* the last that is about this device */
		{ "<3>[    1.2] XFS (dm-3): last sector read failed\n<3>[    1.3] XFS (dm-30): a\n"
		  "<6>[    1.4] xdm-3): b\n<6>[    1.5] dm-3: c\n",
		  FAIL_MOUNT_FAILED, REFUSED " (last sector read failed)" },
		{ "<3>[    1.2] XFS (dm-3): \n", FAIL_MOUNT_FAILED, REFUSED },
		{ "dm-3): at the start, where the log is cut\n", FAIL_MOUNT_FAILED, REFUSED },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(logs); i++) {
		const struct refused_mount m = { "xfs", "dm-3", 4096, NULL, 0 };
		struct err e = { 0 };

		kernel_log = logs[i].log;
		(void)err_set(&e, FAIL_MOUNT_FAILED, EINVAL, REFUSED);
		assert_int_equal(kernel_explain_mount(&m, -EINVAL, &e), -EINVAL);
		assert_int_equal(e.code, logs[i].code);
		assert_string_equal(e.text, logs[i].text);
		assert_int_equal(kernel_explain_mount(&m, -EINVAL, NULL), -EINVAL);
	}
	kernel_log = NULL;
}

/* What this test's kernel is. */
int uname(struct utsname *name)
{
	memset(name, 0, sizeof(*name));
	strcpy(name->release, "6.12.48-test");
	return 0;
}

/* What came later is named, with what the kernel says of it. */
static void test_newer_features(void **state)
{
	static const struct {
		uint8_t features[2];
		const char *log, *text;
		enum fail_code code;
	} features[] = {
		{ { 0x80, 0 },
		  "<3>[    1.2] erofs (device dm-3): unidentified incompatible feature 80, please "
		  "upgrade kernel\n",
		  "the erofs has block numbers of 48 bits or omits \".\", which needs Linux 6.15 "
		  "or "
		  "newer, and this is 6.12.48-test (unidentified incompatible feature 80, please "
		  "upgrade kernel)",
		  FAIL_KERNEL_FEATURE_MISSING },
		{ { 0x80, 1 },
		  NULL,
		  "the erofs compresses its metadata (metabox), which needs Linux 6.17 or newer, "
		  "and "
		  "this is 6.12.48-test",
		  FAIL_KERNEL_FEATURE_MISSING },
		{ { 0x7f, 0 }, NULL, REFUSED, FAIL_MOUNT_FAILED },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(features); i++) {
		uint8_t start[KERNEL_START_SIZE] = { 0 };
		const struct refused_mount m = { "erofs", "dm-3", 0, start, sizeof(start) };
		struct err e = { 0 };

		memcpy(start + 1024, "\xe2\xe1\xf5\xe0", 4);
		start[1024 + 12] = 12;
		start[1024 + 36] = 1;
		memcpy(start + 1024 + 80, features[i].features, 2);
		kernel_log = features[i].log;
		(void)err_set(&e, FAIL_MOUNT_FAILED, EINVAL, REFUSED);
		assert_int_equal(kernel_explain_mount(&m, -EINVAL, &e), -EINVAL);
		assert_string_equal(e.text, features[i].text);
		assert_int_equal(e.code, features[i].code);
	}
	kernel_log = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fstypes),        cmocka_unit_test(test_compressions),
		cmocka_unit_test(test_block_sizes),    cmocka_unit_test(test_kernel_log),
		cmocka_unit_test(test_newer_features),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
