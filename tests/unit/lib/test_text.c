// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <errno.h>

#include "lib/text.h"

static const struct {
	const char *text;
	uint64_t max;
	int result;
	uint64_t value;
} vectors[] = {
	{ "0", UINT64_MAX, 0, 0 },
	{ "0", 0, 0, 0 },
	{ "7", 7, 0, 7 },
	{ "8", 7, -ERANGE, 0 },
	{ "007", 7, 0, 7 },
	{ "4294967296", UINT64_MAX, 0, 1ULL << 32 },
	{ "18446744073709551615", UINT64_MAX, 0, UINT64_MAX },
	{ "18446744073709551615", UINT64_MAX - 1, -ERANGE, 0 },
	{ "18446744073709551616", UINT64_MAX, -ERANGE, 0 },
	{ "18446744073709551620", UINT64_MAX, -ERANGE, 0 },
	{ "99999999999999999999", UINT64_MAX, -ERANGE, 0 },
	{ "184467440737095516150", UINT64_MAX, -ERANGE, 0 },
	{ "", UINT64_MAX, -EINVAL, 0 },
	{ " ", UINT64_MAX, -EINVAL, 0 },
	{ " 1", UINT64_MAX, -EINVAL, 0 },
	{ "1 ", UINT64_MAX, -EINVAL, 0 },
	{ "1\n", UINT64_MAX, -EINVAL, 0 },
	{ "-1", UINT64_MAX, -EINVAL, 0 },
	{ "+1", UINT64_MAX, -EINVAL, 0 },
	{ "0x10", UINT64_MAX, -EINVAL, 0 },
	{ "1k", UINT64_MAX, -EINVAL, 0 },
	{ "1.0", UINT64_MAX, -EINVAL, 0 },
	{ "1,000", UINT64_MAX, -EINVAL, 0 },
	{ "1/", UINT64_MAX, -EINVAL, 0 },
	{ "1:", UINT64_MAX, -EINVAL, 0 },
	{ "\xd9\xa1", UINT64_MAX, -EINVAL, 0 },
};

static void test_vectors(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		uint64_t value = 0x5a5a;
		int r = parse_u64(vectors[i].text, vectors[i].max, &value);

		if (r != vectors[i].result)
			fail_msg("\"%s\" gives %d, not %d", vectors[i].text, r, vectors[i].result);
		assert_int_equal(value, r ? 0x5a5a : vectors[i].value);
	}
}

/* What stands behind the number is not looked at, not even by a byte. */
static void test_part_of_a_text(void **state)
{
	uint64_t value = 7;

	(void)state;
	assert_int_equal(parse_u64_part("12:34", 2, 12, &value), 0);
	assert_int_equal(value, 12);
	assert_int_equal(parse_u64_part("12:34", 3, 99, &value), -EINVAL);
	assert_int_equal(parse_u64_part("12:34", 0, 99, &value), -EINVAL);
	assert_int_equal(value, 12);
}

static void test_beginnings(void **state)
{
	const char *text = "vsock:12";

	(void)state;
	assert_ptr_equal(text_behind(text, "vsock:"), text + 6);
	assert_ptr_equal(text_behind(text, ""), text);
	assert_ptr_equal(text_behind(text, text), text + 8);
	assert_null(text_behind(text, "vsock:123"));
	assert_null(text_behind(text, "Vsock:"));
}

/* Neither a beginning of a word nor a word and more is that word. */
static void test_words(void **state)
{
	static const char *const words[] = { "eio", "panic", NULL };

	(void)state;
	assert_int_equal(text_find(words, "eio", 3), 0);
	assert_int_equal(text_find(words, "panic,eio", 5), 1);
	assert_int_equal(text_find(words, "panic,eio", 4), -1);
	assert_int_equal(text_find(words, "panic,eio", 6), -1);
	assert_int_equal(text_find(words, "", 0), -1);
}

static void test_tmpfs_sizes(void **state)
{
	static const char *const sizes[] = { "1",    "1k",         "1K",   "2m",
					     "3g",   "1%",         "100%", "9223372036854775807",
					     "007m", "8589934591g" };
	static const char *const others[] = { "",
					      "0",
					      "0%",
					      "0g",
					      "%",
					      "k",
					      "-1",
					      "+1",
					      " 1",
					      "1 ",
					      "1.5g",
					      "1t",
					      "1b",
					      "1kk",
					      "1k%",
					      "101%",
					      "1,k",
					      "1k,x",
					      "1kb",
					      "9223372036854775808",
					      "8589934592g",
					      "1\xff" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		if (!text_is_tmpfs_size(sizes[i]))
			fail_msg("%s is no size", sizes[i]);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (text_is_tmpfs_size(others[i]))
			fail_msg("%s is a size", others[i]);
}

static void test_paths(void **state)
{
	static const char *const paths[] = { "/a",   "/a/b",       "/...",     "/.a",
					     "/a..", "/a b,c:d\\", "/\xc3\xa4" };
	static const char *const others[] = {
		"",   "/",   "a",    "a/b",   "./a",  "//",    "//a",     "/a//b", "/a/",
		"/.", "/..", "/./a", "/../a", "/a/.", "/a/..", "/a/../b", "/a\n",  "/\x7f"
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		if (!text_is_path(paths[i]))
			fail_msg("%s is no path", paths[i]);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (text_is_path(others[i]))
			fail_msg("%s is a path", others[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tmpfs_sizes), cmocka_unit_test(test_paths),
		cmocka_unit_test(test_vectors),     cmocka_unit_test(test_part_of_a_text),
		cmocka_unit_test(test_beginnings),  cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
