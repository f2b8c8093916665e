// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Opening and proving the volumes of a plan. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <string.h>

#include "init/plan/plan_layer.h"
#include "tests/unit/fake_boot.h"
#include "tests/unit/fake_verity.h"

static void test_verity(void **state)
{
	struct err e = { 0 };

	(void)state;
	make_boot(2, UPPER_TMPFS, false);
	fake_verity_reset(0, 0);
	expect_success("verity", step_verity(&boot, &e), &e);
	assert_string_equal(fake_sys.log,
			    "verity_kernel_check\n"
			    "verity_open socle-layer-0 data=254:0 hash=254:0 fec=0:0 blocks=1\n"
			    "verity_prove socle-layer-0\n"
			    "verity_link socle-layer-0\n"
			    "verity_open socle-layer-1 data=254:1 hash=254:1 fec=0:0 blocks=2\n"
			    "verity_prove socle-layer-1\n"
			    "verity_link socle-layer-1\n");
	assert_int_equal(boot.open_count, 2);
}

/* What a signature needs of the kernel is asked for before anything is opened, and once. */
static void test_signatures(void **state)
{
	struct err e = { 0 };

	(void)state;
	make_boot(3, UPPER_TMPFS, false);
	for (size_t i = 1; i < 3; i++)
		expect_success("sign",
			       layer_set(&boot.plan, &boot.plan.layer[i], "signature",
					 "base64:MAA=", &e),
			       &e);
	fake_verity_reset(0, 0);
	expect_success("signed", step_verity(&boot, &e), &e);
	assert_memory_equal(fake_sys.log,
			    "verity_kernel_check\n"
			    "verity_kernel_check_signatures\nverity_open socle-layer-0 ",
			    76);
	assert_int_equal(lines_with("verity_kernel_check_signatures"), 1);
	assert_int_equal(lines_with(" blocks=1\n"), 1);
	assert_int_equal(lines_with(" blocks=2 signature=2\n"), 1);
	assert_int_equal(lines_with(" blocks=3 signature=2\n"), 1);
	fake_verity_reset(2, ENOTSUP);
	expect_failure("kernel", step_verity(&boot, &e), &e, FAIL_KERNEL_FEATURE_MISSING,
		       "no signatures");
	assert_int_equal(fake_sys.calls, 2);
}

static void test_verity_fails(void **state)
{
	static const enum fail_code codes[] = {
		FAIL_KERNEL_FEATURE_MISSING, FAIL_VERITY_OPEN_FAILED, FAIL_ROOT_HASH_MISMATCH,
		FAIL_SYSTEM_CALL_FAILED,     FAIL_VERITY_OPEN_FAILED, FAIL_ROOT_HASH_MISMATCH,
		FAIL_SYSTEM_CALL_FAILED,
	};

	(void)state;
	for (unsigned int call = 1; call <= ARRAY_SIZE(codes); call++) {
		struct err e = { 0 };

		make_boot(2, UPPER_TMPFS, false);
		fake_verity_reset(call, EINVAL);
		expect_failure("call", step_verity(&boot, &e), &e, codes[call - 1], "");
		assert_int_equal(boot.open_count, (call - 1) / 3);
		assert_int_equal(lines_with("verity_open"), (call + 1) / 3);
		/* behind a check that fails there is only the close */
		assert_int_equal(fake_sys.calls,
				 codes[call - 1] == FAIL_ROOT_HASH_MISMATCH ? call + 1 : call);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verity),
		cmocka_unit_test(test_signatures),
		cmocka_unit_test(test_verity_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
