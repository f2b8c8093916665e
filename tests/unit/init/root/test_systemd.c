// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <errno.h>

#include "init/root/systemd.h"
#include "tests/unit/fake_sys.h"

static void test_generator_is_hidden(void **state)
{
	struct err e = { 0 };

	(void)state;
	fake_sys_reset(0, 0);
	expect_success("hide", systemd_hide_generator(SYSTEMD_GPT_AUTO, &e), &e);
	assert_string_equal(fake_sys.log,
			    "mkdir /run/systemd 0755\n"
			    "mkdir /run/systemd/system-generators 0755\n"
			    "symlink /dev/null "
			    "/run/systemd/system-generators/systemd-gpt-auto-generator\n");
	for (unsigned int call = 1; call <= 3; call++) {
		fake_sys_reset(call, EEXIST);
		expect_success("there", systemd_hide_generator(SYSTEMD_GPT_AUTO, &e), &e);
		fake_sys_reset(call, EROFS);
		expect_failure("hide", systemd_hide_generator(SYSTEMD_GPT_AUTO, &e), &e,
			       FAIL_SYSTEM_CALL_FAILED, "/run/systemd");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_generator_is_hidden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
