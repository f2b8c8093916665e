// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "verity/table_read.h"

#define ROOT "63e308011ce8b260833b4d6ee202741716a97ccecaa8a5ad6cfa704e4ddc2223"

static void test_line(void **state)
{
	struct verity_table t;
	struct err e = { 0 };

	(void)state;
	expect_success("line",
		       verity_table_read("1 254:16 254:32 512 4096 5220 653 sha256 " ROOT
					 " aabb 1 panic_on_corruption",
					 &t, &e),
		       &e);
	assert_string_equal(t.data, "254:16");
	assert_string_equal(t.hash, "254:32");
	assert_int_equal(t.params.hash_type, 1);
	assert_int_equal(t.params.data_block_size, 512);
	assert_int_equal(t.params.hash_block_size, 4096);
	assert_int_equal(t.params.data_blocks, 5220);
	assert_int_equal(t.params.hash_start_block, 653);
	assert_int_equal(t.params.root_hash_size, 32);
	assert_int_equal(t.params.root_hash[31], 0x23);
	assert_int_equal(t.params.salt_size, 2);
}

static void test_no_salt(void **state)
{
	struct verity_table t;
	struct err e = { 0 };

	(void)state;
	expect_success("salt",
		       verity_table_read("0 7:0 7:0 4096 4096 1 2 sha512 " ROOT ROOT " -", &t, &e),
		       &e);
	assert_int_equal(t.params.salt_size, 0);
	assert_int_equal(t.params.hash_type, 0);
}

static void test_refused(void **state)
{
	static const char *const lines[] = {
		"",
		"1 254:16 254:16 512 4096 5220 653 sha256 " ROOT,
		"1 254:16 254:16 512 4096 5220 653 md5 " ROOT " -",
		"1 254:16 254:16 512 4096 x 653 sha256 " ROOT " -",
		"1  254:16 512 4096 5220 653 sha256 " ROOT " - -",
		"1 254:16254:16254:16254:16 254:16 512 4096 5220 653 sha256 " ROOT " -",
	};
	char many[VERITY_TABLE_SIZE + 1];
	struct verity_table t;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct err e = { 0 };

		expect_failure(lines[i], verity_table_read(lines[i], &t, &e), &e,
			       FAIL_VERITY_PARAMS_INVALID, "not a verity table");
	}
	memset(many, '1', sizeof(many) - 1);
	many[sizeof(many) - 1] = '\0';
	assert_true(verity_table_read(many, &t, NULL) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_no_salt),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
