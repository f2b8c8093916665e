// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* link: fake_sys */
#include "tests/unit/unit.h"

#include <errno.h>

#include "init/systemd.h"
#include "tests/unit/fake_sys.h"

static void test_extension_generator_is_hidden(void **state)
{
	struct err e = { 0 };

	(void)state;
	fake_sys_reset(0, 0);
	expect_success("hide", systemd_hide_extension_generator(&e), &e);
	assert_string_equal(fake_sys.log,
			    "mkdir /run/systemd 0755\n"
			    "mkdir /run/systemd/system-generators 0755\n"
			    "symlink /dev/null "
			    "/run/systemd/system-generators/kata-extension-mount-generator\n");
	for (unsigned int call = 1; call <= 3; call++) {
		fake_sys_reset(call, EEXIST);
		expect_success("there", systemd_hide_extension_generator(&e), &e);
		fake_sys_reset(call, EROFS);
		expect_failure("hide", systemd_hide_extension_generator(&e), &e,
			       FAIL_SYSTEM_CALL_FAILED, "/run/systemd");
	}
}

static void test_volatile_root_is_told(void **state)
{
	const struct blockdev data = { .name = "vda2", .major = 259, .minor = 1048575 };
	struct err e = { 0 };

	(void)state;
	fake_sys_reset(0, 0);
	expect_success("tell", systemd_tell_volatile_root(&data, &e), &e);
	assert_string_equal(fake_sys.log, "mkdir /run/systemd 0755\n"
			    "symlink /dev/block/259:1048575 /run/systemd/volatile-root\n");
	for (unsigned int call = 1; call <= 2; call++) {
		fake_sys_reset(call, EROFS);
		expect_failure("tell", systemd_tell_volatile_root(&data, &e), &e, FAIL_SYSTEM_CALL_FAILED,
			       "/run/systemd");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_extension_generator_is_hidden),
		cmocka_unit_test(test_volatile_root_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
