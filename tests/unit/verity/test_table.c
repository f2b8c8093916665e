// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

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

static const struct {
	const char *line;
	int result;
	const char *out;
} drop_rows[] = {
	{ LINE, 0, LINE },
	{ LINE " 2 key desc", 0, LINE },
	{ LINE " 4 a key desc b", 0, LINE " 2 a b" },
	{ LINE " 3 key  desc a", 0, LINE " 1 a" },
	{ LINE " 3 a keys desc", 0, LINE " 3 a keys desc" },
	{ LINE " 3 key desc", -EINVAL, "untouched" },
	{ "1 2 3", -EINVAL, "untouched" },
};

static void test_drop_option(void **state)
{
	char small[8];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(drop_rows); i++) {
		char out[256] = "untouched";
		int r = verity_table_drop_option(drop_rows[i].line, "key", out, sizeof(out));

		if (r != drop_rows[i].result)
			fail_msg("\"%s\" gives %d", drop_rows[i].line, r);
		assert_string_equal(out, drop_rows[i].out);
	}
	assert_int_equal(verity_table_drop_option(LINE, "key", small, sizeof(small)), -E2BIG);
}

/* The longest salt and root hash there are, and one character that differs at either end. */
static void test_longest(void **state)
{
	char line[VERITY_TABLE_SIZE], digits[2 * VERITY_SALT_MAX + 1];
	const struct verity_parts parts = { .data = makedev(254, 0), .hash = makedev(254, 16) };
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
	assert_true(verity_table_matches(line, &p, &parts));
	for (int i = root; line[i]; i++) {
		if (line[i] == ' ')
			continue;
		line[i] = 'b';
		assert_false(verity_table_matches(line, &p, &parts));
		line[i] = 'a';
	}
}

/* What the kernel is given, word for word. */
static void test_print(void **state)
{
#define PRINTED "1 254:1 254:2 4096 4096 129 130 sha256 00ff -"
	static const struct print_row {
		const char *label;
		bool zero_blocks;
		unsigned int fec_minor, hash_minor;
		uint64_t fec_start_bytes, hash_bytes;
		const char *key;
		const char *line; /* NULL: there is none */
	} rows[] = {
		{ "plain", false, 0, 2, 0, 0, NULL, PRINTED },
		{ "zero blocks", true, 0, 2, 0, 0, NULL, PRINTED " 1 ignore_zero_blocks" },
		{ "signed", false, 0, 2, 0, 0, "socle:x",
		  PRINTED " 2 root_hash_sig_key_desc socle:x" },
		/* of the hash device all from the tree on: 140 blocks are 10 behind 130 */
		{ "fec", false, 3, 2, 8192, 140 * 4096, NULL,
		  PRINTED " 8 use_fec_from_device 254:3 fec_start 2 fec_blocks 139 fec_roots 2" },
		{ "half a block is none", false, 3, 2, 0, 141 * 4096 - 512, NULL,
		  PRINTED " 8 use_fec_from_device 254:3 fec_start 0 fec_blocks 139 fec_roots 2" },
		/* on the hash device: up to itself */
		{ "fec behind the tree", false, 2, 2, 133 * 4096, 200 * 4096, NULL,
		  PRINTED " 8 use_fec_from_device 254:2 fec_start 133 fec_blocks 132 fec_roots 2" },
		{ "fec in the tree", false, 2, 2, 132 * 4096, 200 * 4096, NULL, NULL },
		{ "fec in front of it", false, 2, 2, 0, 200 * 4096, NULL, NULL },
		{ "no tree to cover", false, 3, 2, 0, 133 * 4096 - 512, NULL, NULL },
		{ "all", true, 3, 2, 0, 133 * 4096, "socle:x",
		  PRINTED " 11 ignore_zero_blocks use_fec_from_device 254:3 fec_start 0 fec_blocks "
			  "132 fec_roots 2 root_hash_sig_key_desc socle:x" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct print_row *row = &rows[i];
		const struct verity_parts parts = {
			.data = makedev(254, 1),
			.hash = makedev(254, row->hash_minor),
			.fec = row->fec_minor ? makedev(254, row->fec_minor) : 0,
			.hash_bytes = row->hash_bytes,
		};
		char line[VERITY_TABLE_SIZE];
		struct verity_params p;
		int r;

		verity_params_init(&p);
		p.data_blocks = 129;
		p.hash_start_block = 130;
		p.root_hash_size = 2;
		p.root_hash[1] = 0xff;
		p.ignore_zero_blocks = row->zero_blocks;
		p.fec_roots = 2;
		p.fec_start_bytes = row->fec_start_bytes;
		r = verity_table_print(&p, &parts, row->key, line, sizeof(line));
		if (r != (row->line ? 0 : -EINVAL) || (row->line && strcmp(line, row->line)))
			fail_msg("%s: %d, \"%s\"", row->label, r, line);
		if (!row->line)
			continue;
		/* to the last byte, and not beyond */
		assert_int_equal(verity_table_print(&p, &parts, row->key, line,
						    strlen(row->line) + 1),
				 0);
		assert_int_equal(verity_table_print(&p, &parts, row->key, line, strlen(row->line)),
				 -E2BIG);
		/* what is printed without options that weaken is what is adopted */
		if (!row->key && !row->fec_minor)
			assert_true(verity_table_matches(row->line, &p, &parts));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),      cmocka_unit_test(test_room),
		cmocka_unit_test(test_get_option),   cmocka_unit_test(test_drop_option),
		cmocka_unit_test(test_most_options), cmocka_unit_test(test_longest),
		cmocka_unit_test(test_print),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
