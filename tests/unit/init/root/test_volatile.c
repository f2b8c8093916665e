// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "init/root/volatile.h"
#include "tests/unit/fake_sys.h"

static void test_usr_is_bound_and_read_only(void **state)
{
	struct err e = { 0 };

	(void)state;
	fake_sys_reset(0, 0);
	expect_success("bind", volatile_bind_usr("/layers", "/sysroot", &e), &e);
	/* MS_BIND, then MS_BIND | MS_REMOUNT | MS_RDONLY */
	assert_string_equal(fake_sys.log,
			    "mount /layers/usr /sysroot/usr type=- flags=0x1000 options=-\n"
			    "mount none /sysroot/usr type=- flags=0x1021 options=-\n");
	for (unsigned int call = 1; call <= 2; call++) {
		fake_sys_reset(call, ENOENT);
		expect_failure("bind", volatile_bind_usr("/layers", "/sysroot", &e), &e,
			       FAIL_MOUNT_FAILED, "bind the root's /usr: No such file");
	}
}

static const char *const in_usr[] = { "usr/bin/sh", "usr/lib/systemd/systemd", "usr/sbin/init" };

/* A link for each that /usr has, dangling or not, and for no other. */
static void test_links_into_usr(void **state)
{
	char expected[1024];
	struct err e = { 0 };
	struct temp root;

	(void)state;
	temp_make(&root);
	for (size_t i = 0; i < ARRAY_SIZE(in_usr); i++)
		put_text(root.fd, in_usr[i], "");
	put_link(root.fd, "usr/lib64", "lib");
	put_link(root.fd, "usr/lib32", "absent");
	fake_sys_reset(0, 0);
	expect_success("fill", volatile_fill(root.path, &e), &e);
	snprintf(
		expected, sizeof(expected),
		"symlink usr/bin %1$s/bin\nsymlink usr/lib %1$s/lib\nsymlink usr/lib32 %1$s/lib32\n"
		"symlink usr/lib64 %1$s/lib64\nsymlink usr/sbin %1$s/sbin\n"
		"mkdir %1$s/etc 0755\nmkdir %1$s/root 0700\nmkdir %1$s/var 0755\n",
		root.path);
	assert_string_equal(fake_sys.log, expected);
	for (unsigned int call = 1; call <= 8; call++) {
		/* what is there already is fine */
		fake_sys_reset(call, EEXIST);
		expect_success("there", volatile_fill(root.path, &e), &e);
		fake_sys_reset(call, ENOSPC);
		expect_failure("full", volatile_fill(root.path, &e), &e, FAIL_SYSTEM_CALL_FAILED,
			       "No space left");
		assert_int_equal(fake_sys.calls, call);
	}
	temp_remove(&root);
}

/* Not to be read is not the same as not to be there. */
static void test_usr_that_cannot_be_read(void **state)
{
	struct err e = { 0 };
	struct temp root;

	(void)state;
	temp_make(&root);
	put_text(root.fd, "usr", "no folder");
	fake_sys_reset(0, 0);
	expect_failure("fill", volatile_fill(root.path, &e), &e, FAIL_DEVICE_READ_FAILED,
		       "look for /usr/bin: Not a directory");
	temp_remove(&root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_usr_is_bound_and_read_only),
		cmocka_unit_test(test_links_into_usr),
		cmocka_unit_test(test_usr_that_cannot_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
