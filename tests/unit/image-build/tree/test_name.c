// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <string.h>

#include "image-build/tree/name.h"

/* The one stated rule for names; clean NULL: refused with these words. */
static const struct {
	const char *raw, *clean, *words;
} rules[] = {
	{ "a", "a", NULL },
	{ "a/b", "a/b", NULL },
	{ "./a", "a", NULL },
	{ "././a/./b/.", "a/b", NULL },
	{ "/a", "a", NULL },
	{ "///a//b///", "a/b", NULL },
	{ "a/", "a", NULL },
	{ ".", "", NULL },
	{ "./", "", NULL },
	{ "/", "", NULL },
	{ "", "", NULL },
	{ "..a/b..", "..a/b..", NULL },
	{ ".../...", ".../...", NULL },
	/* Bytes stay bytes: decomposed, invalid, control characters. */
	{ "cafe\xcc\x81", "cafe\xcc\x81", NULL },
	{ "\xff\xfe\n", "\xff\xfe\n", NULL },
	{ "..", NULL, "\"..\"" },
	{ "../a", NULL, "\"..\"" },
	{ "/..", NULL, "\"..\"" },
	{ "a/..", NULL, "\"..\"" },
	{ "a/../../b", NULL, "\"..\"" },
	{ "a/../b", NULL, "\"..\"" },
};

static void test_rules(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		char clean[LIMIT_PATH + 1] = "untouched";
		struct err e = { .text = "" };
		int r = name_clean(rules[i].raw, clean, &e);

		if (rules[i].clean) {
			expect_success(rules[i].raw, r, &e);
			assert_string_equal(clean, rules[i].clean);
		} else {
			expect_failure(rules[i].raw, r, &e, FAIL_VALUE_INVALID, rules[i].words);
			assert_string_equal(clean, "untouched");
		}
	}
}

static void test_limits(void **state)
{
	char raw[LIMIT_PATH + 8], clean[LIMIT_PATH + 1];
	struct err e = { .text = "" };

	(void)state;
	memset(raw, 'a', sizeof(raw));
	raw[LIMIT_NAME] = '\0';
	expect_success("name", name_clean(raw, clean, &e), &e);
	raw[LIMIT_NAME] = 'a';
	raw[LIMIT_NAME + 1] = '\0';
	expect_failure("name", name_clean(raw, clean, &e), &e, FAIL_LIMIT_EXCEEDED, "256 bytes");
	for (size_t i = 0; i < sizeof(raw); i++)
		raw[i] = i % 200 == 199 ? '/' : 'b';
	raw[LIMIT_PATH] = '\0';
	expect_success("path", name_clean(raw, clean, &e), &e);
	assert_int_equal(strlen(clean), LIMIT_PATH);
	raw[LIMIT_PATH] = 'b';
	raw[LIMIT_PATH + 1] = '\0';
	expect_failure("path", name_clean(raw, clean, &e), &e, FAIL_LIMIT_EXCEEDED, "longer");
}

static const struct {
	const char *path;
	enum name_kind kind;
} kinds[] = {
	{ "", NAME_PLAIN },
	{ "a/wh.b", NAME_PLAIN },
	{ "a/.whb", NAME_PLAIN },
	{ "a.wh.b", NAME_PLAIN },
	{ ".wh.a", NAME_WHITEOUT },
	{ "a/.wh.b", NAME_WHITEOUT },
	{ "a/.wh..b", NAME_WHITEOUT },
	{ "a/.wh...b", NAME_WHITEOUT },
	{ ".wh..wh..opq", NAME_OPAQUE },
	{ "a/b/.wh..wh..opq", NAME_OPAQUE },
	{ ".wh..wh.plnk", NAME_IGNORED },
	{ ".wh..wh.plnk/1.2", NAME_IGNORED },
	{ "a/.wh..wh.aufs", NAME_IGNORED },
	{ ".wh..wh..opq/x", NAME_IGNORED },
	{ ".wh.", NAME_INVALID },
	{ "a/.wh..", NAME_INVALID },
	{ "a/.wh...", NAME_INVALID },
	{ ".wh.a/b", NAME_INVALID },
	{ "c/.wh.a/b", NAME_INVALID },
};

static void test_kinds(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (name_kind(kinds[i].path) != kinds[i].kind)
			fail_msg("%s: %d", kinds[i].path, (int)name_kind(kinds[i].path));
	assert_string_equal(name_hidden(".wh.x"), "x");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
