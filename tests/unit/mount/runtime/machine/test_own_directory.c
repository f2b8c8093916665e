// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Where a directory lies: in memory, on what is verified or encrypted, or on a host's disk. */
#include "tests/unit/mount/runtime/machine/stacks.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "mount/runtime/library.c"
#include "verity/dm.h"

#define EXT4   0xef53
#define BTRFS  0x9123683e
#define DIR    "/run/upper"
#define POLICY "/run/socle/policy"

/* On what file system a directory is; all others are in memory. */
static const char *fake_place = DIR;
static unsigned int fake_type;
static dev_t fake_device;

int statfs(const char *path, struct statfs *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (access(path, F_OK))
		return -1;
	ret->f_type = (__typeof__(ret->f_type))(strcmp(path, fake_place) ? TMPFS_MAGIC : fake_type);
	return 0;
}

int stat(const char *path, struct stat *ret)
{
	int r = fstatat(AT_FDCWD, path, ret, 0);

	if (!strcmp(path, fake_place))
		ret->st_dev = fake_device;
	return r;
}

/* A device of device-mapper's of a type, on a disk. */
static dev_t add_device(const char *name, const char *type, const char *line)
{
	const struct dm_target target = { .sectors = 2048, .type = type, .line = line };
	dev_t number;

	assert_int_equal(dm_open(name, NULL, &target, &number), 0);
	return number;
}

/* An overlay of this source; its number. */
static dev_t add_overlay(const char *source)
{
	put_dir(AT_FDCWD, "/run/there");
	fake_kernel_mount(source, "/run/there");
	return makedev(0, fake_kernel_mount_on("/run/there")->filesystem);
}

static void expect_own(const char *label, unsigned int type, dev_t device, bool own)
{
	struct err e = { 0 };
	size_t fds = open_fds();
	int r;

	fake_type = type;
	fake_device = device;
	r = own_directory_check(DIR, &e);
	if (own)
		expect_success(label, r, &e);
	else
		expect_failure(label, r, &e, FAIL_POLICY_REFUSED,
			       DIR " is neither in memory nor on a verified or an encrypted");
	assert_int_equal(open_fds(), fds);
}

static void test_places(void **state)
{
	const dev_t disk = makedev(FAKE_DISK_MAJOR, 0);
	dev_t crypt, linear;

	(void)state;
	new_machine();
	expect_own("tmpfs", TMPFS_MAGIC, 0, true);
	expect_own("ramfs", RAMFS_MAGIC, 0, true);
	expect_own("disk", EXT4, disk, false);
	expect_own("no device's number", BTRFS, makedev(0, 40), false);
	linear = add_device("linear", "linear", "254:0 0");
	crypt = add_device("luks", "crypt", "254:1 aes");
	expect_own("linear", EXT4, linear, false);
	expect_own("encrypted", EXT4, crypt, true);
	expect_own("verified", EXT4, add_device("v", "verity", "1 254:2 254:2"), true);
	expect_own("disk beside these", EXT4, disk, false);
	fake_kernel->no_device_mapper = true;
	expect_own("no device-mapper", EXT4, disk, false);
}

static void test_overlays(void **state)
{
	static const struct {
		const char *source;
		bool own;
	} rows[] = {
		{ "socle", true },      { "socle.0123456789abcdef.01", true },
		{ "overlay", false },   { "socles", false },
		{ "/dev/vda1", false }, { "none", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		dev_t number;

		new_machine();
		number = add_overlay(rows[i].source);
		expect_own(rows[i].source, OVERLAYFS_SUPER_MAGIC, number, rows[i].own);
		expect_own("another one", OVERLAYFS_SUPER_MAGIC, number + 1, false);
	}
}

static void test_each_call_fails(void **state)
{
	struct err e = { 0 };

	(void)state;
	new_machine();
	fake_type = EXT4;
	fake_device = add_device("luks", "crypt", "254:1 aes");
	fake_kernel->fail_call = fake_kernel->calls + 1;
	fake_kernel->fail_errno = EIO;
	expect_failure("list", own_directory_check(DIR, &e), &e, FAIL_SYSTEM_CALL_FAILED,
		       "list the devices");
	/* What does not tell its table is nothing that protects. */
	fake_kernel->fail_call = fake_kernel->calls + 2;
	expect_failure("table", own_directory_check(DIR, &e), &e, FAIL_POLICY_REFUSED, "neither");
	fake_type = OVERLAYFS_SUPER_MAGIC;
	fake_kernel->fail_call = fake_kernel->calls + 1;
	expect_failure("mounts", own_directory_check(DIR, &e), &e, FAIL_SYSTEM_CALL_FAILED,
		       "mountinfo");
	fake_kernel->fail_call = 0;
	expect_failure("absent", own_directory_check("/run/absent", &e), &e,
		       FAIL_SYSTEM_CALL_FAILED, "stat /run/absent");
}

/* A request is asked so where the policy requires verity, and nowhere else. */
static void test_requests(void **state)
{
	(void)state;
	new_machine();
	fake_type = EXT4;
	fake_device = makedev(FAKE_DISK_MAJOR, 0);
	assert_int_equal(mount_kind(&in_directory, TARGET), 0);
	assert_int_equal(umount_target(TARGET), 0);
	put_text(AT_FDCWD, POLICY, "verity=required\n");
	fake_kernel->calls = 0;
	expect_error(mount_kind(&in_directory, TARGET), EPERM, "POLICY_REFUSED", "describe",
		     "upper", DIR);
	fake_type = TMPFS_MAGIC;
	assert_int_equal(mount_kind(&in_directory, TARGET), 0);
	assert_int_equal(umount_target(TARGET), 0);
	assert_int_equal(mount_kind(&of_directories, TARGET), 0);
	assert_int_equal(umount_target(TARGET), 0);
	/* A layer that was unpacked there is no better. */
	fake_place = "/run/image/0";
	fake_type = EXT4;
	expect_error(mount_kind(&of_directories, TARGET), EPERM, "POLICY_REFUSED", "describe", "",
		     "/run/image/0");
	fake_place = DIR;
	assert_int_equal(unlink(POLICY), 0);
	put_text(AT_FDCWD, POLICY, "verity=optional\n");
	assert_int_equal(mount_kind(&in_directory, TARGET), 0);
	assert_int_equal(umount_target(TARGET), 0);
	assert_int_equal(unlink(POLICY), 0);
}

static int run(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_overlays),
		cmocka_unit_test(test_each_call_fails),
		cmocka_unit_test(test_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
	return with_own_run(run);
}
