// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* What is put in front of a line is what the guest wants there. */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "image-build/plan/line.h"
#include "init/plan/cmdline.h"
#include "init/plan/plan.h"

#define LAYER "socle.layer=SERIAL=a,root_hash=" HASH ",data_blocks=9"
#define HASH  "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void test_seal(void **state)
{
	static const struct {
		const char *line, *front; /* what comes before the line */
	} rows[] = {
		{ "quiet roothash=" HASH, "" },
		{ "quiet -- socle.timeout=33", "" },
		{ "socle.timeout=33", "socle.length=16 " },
		{ "quiet socle.timeout=33 x socle.upper=none y", "socle.length=32 " },
		{ "socle.timeout=\"33\" \"socle.upper=none\"", "socle.length=32 " },
		{ LAYER " " LAYER " socle.agent=\"/a b\"", "socle.length=234 " },
	};
	static struct boot_plan plan;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *sealed = line_seal(rows[i].line);
		size_t front = strlen(rows[i].front);
		struct err e = { 0 };

		assert_true(!strncmp(sealed, rows[i].front, front));
		assert_string_equal(sealed + front, rows[i].line);
		expect_success(sealed, plan_parse(sealed, 0, &plan, &e), &e);
		free(sealed);
	}
}

static void test_launch(void **state)
{
	const struct launch *launch = NULL;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(launch_limit(NULL, "x86_64"), 2047);
	expect_success("direct", launch_parse("direct", &launch, &e), &e);
	assert_int_equal(launch_limit(launch, "x86_64"), 2047);
	expect_success("efi", launch_parse("efi", &launch, &e), &e);
	assert_int_equal(launch_limit(launch, "aarch64"), 2033);
	assert_int_equal(launch_limit(launch, "no such machine"), 0);
	expect_failure("grub", launch_parse("grub", &launch, &e), &e, FAIL_VALUE_INVALID,
		       "neither direct nor efi");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_seal),
		cmocka_unit_test(test_launch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
