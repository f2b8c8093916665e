// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "verity/table.h"

#define LINE "1 254:0 254:16 4096 4096 92041 1 sha256 00ff -"
#define FEC  "8 use_fec_from_device 254:32 fec_blocks 100 fec_start 0 fec_roots 2"

static const struct {
	const char *line;
	unsigned int count;
	const char *words;
	const char *expected; /* NULL: -EINVAL */
} vectors[] = {
	{ LINE, 1, "panic_on_corruption", LINE " 1 panic_on_corruption" },
	{ LINE, 2, "a b", LINE " 2 a b" },
	{ LINE " ", 1, "a", LINE " 1 a" },
	{ LINE " 0", 1, "a", LINE " 1 a" },
	{ LINE " 1 x", 1, "a", LINE " 2 x a" },
	{ LINE "  1  x", 2, "a b", LINE " 3 x a b" },
	{ LINE " " FEC, 1, "a",
	  LINE " 9 use_fec_from_device 254:32 fec_blocks 100 fec_start 0 "
	       "fec_roots 2 a" },
	{ "  " LINE, 1, "a", "  " LINE " 1 a" },
	/* fewer words than a line has */
	{ "", 1, "a", NULL },
	{ " ", 1, "a", NULL },
	{ "1 2 3 4 5 6 7 8 9", 1, "a", NULL },
	{ "1 2 3 4 5 6 7 8 9 ", 1, "a", NULL },
	/* a count that is none, is too large, or does not count the words */
	{ LINE " x", 1, "a", NULL },
	{ LINE " -1 x", 1, "a", NULL },
	{ LINE " 2 x", 1, "a", NULL },
	{ LINE " 1", 1, "a", NULL },
	{ LINE " 1 ", 1, "a", NULL },
	{ LINE " 65 x", 1, "a", NULL },
	{ LINE " 99999999 x", 1, "a", NULL },
	{ LINE " 18446744073709551615 x", 1, "a", NULL },
	{ LINE " 1 x y", 1, "a", NULL },
	{ LINE " 0 x", 1, "a", NULL },
};

static void test_vectors(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		char out[VERITY_TABLE_SIZE] = "untouched";
		int r = verity_table_set_policy(vectors[i].line, vectors[i].count, vectors[i].words,
						out, sizeof(out));

		if (r != (vectors[i].expected ? 0 : -EINVAL))
			fail_msg("\"%s\" gives %d: \"%s\"", vectors[i].line, r, out);
		assert_string_equal(out, vectors[i].expected ? vectors[i].expected : "untouched");
	}
}

static void test_room(void **state)
{
	static const char expected[] = LINE " 1 a";
	char out[sizeof(expected)];

	(void)state;
	assert_int_equal(verity_table_set_policy(LINE, 1, "a", out, sizeof(out)), 0);
	assert_string_equal(out, expected);
	assert_int_equal(verity_table_set_policy(LINE, 1, "a", out, sizeof(out) - 1), -E2BIG);
}

/* 64 options are more than any kernel knows, and still a line. */
static void test_most_options(void **state)
{
	char line[1024] = LINE " 64", out[VERITY_TABLE_SIZE];

	(void)state;
	for (int i = 0; i < 64; i++)
		strcat(line, " x");
	assert_int_equal(verity_table_set_policy(line, 2, "a b", out, sizeof(out)), 0);
	assert_memory_equal(out, LINE " 66 x x", sizeof(LINE " 66 x x") - 1);
	assert_string_equal(out + strlen(out) - 6, " x a b");
}

static const struct {
	const char *line;
	int result;
	const char *value;
} option_rows[] = {
	{ LINE, 0, "untouched" },
	{ LINE " 0", 0, "untouched" },
	{ LINE " 2 key k", 1, "k" },
	{ LINE " 3 a key cryptsetup:socle-layer-0", 1, "cryptsetup:socle-layer-0" },
	{ LINE " 4 key k key l", 1, "k" },
	{ LINE " 2 keys k", 0, "untouched" },
	{ LINE " 2 a key", -EINVAL, "untouched" },
	{ LINE " 3 key k", -EINVAL, "untouched" },
	{ "1 2 3", -EINVAL, "untouched" },
	{ LINE " 2 key 0123456789012345678901234567890", 1, "0123456789012345678901234567890" },
	{ LINE " 2 key 01234567890123456789012345678901", -E2BIG, "untouched" },
};

static void test_get_option(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(option_rows); i++) {
		char out[32] = "untouched";
		int r = verity_table_get_option(option_rows[i].line, "key", out, sizeof(out));

		if (r != option_rows[i].result)
			fail_msg("\"%s\" gives %d", option_rows[i].line, r);
		assert_string_equal(out, option_rows[i].value);
	}
}

/* The longest salt and root hash there are, and one character that differs at either end. */
static void test_longest(void **state)
{
	char line[VERITY_TABLE_SIZE], digits[2 * VERITY_SALT_MAX + 1];
	struct verity_params p;
	int root;

	(void)state;
	memset(digits, 'a', sizeof(digits) - 1);
	digits[sizeof(digits) - 1] = '\0';
	verity_params_init(&p);
	assert_int_equal(verity_params_set(&p, "hash", "sha512", NULL), 0);
	assert_int_equal(verity_params_set(&p, "salt", digits, NULL), 0);
	assert_int_equal(verity_params_set(&p, "root_hash",
					   digits + 2 * (VERITY_SALT_MAX - VERITY_DIGEST_MAX),
					   NULL),
			 0);
	root = snprintf(line, sizeof(line), "1 254:0 254:16 4096 4096 0 0 sha512 ");
	snprintf(line + root, sizeof(line) - (size_t)root, "%.128s %s", digits, digits);
	assert_true(verity_table_matches(line, &p, "254:0", "254:16"));
	for (int i = root; line[i]; i++) {
		if (line[i] == ' ')
			continue;
		line[i] = 'b';
		assert_false(verity_table_matches(line, &p, "254:0", "254:16"));
		line[i] = 'a';
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),    cmocka_unit_test(test_room),
		cmocka_unit_test(test_get_option), cmocka_unit_test(test_most_options),
		cmocka_unit_test(test_longest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
