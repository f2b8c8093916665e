// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* What is JSON, and what only readers of JSON take. */
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/strict_json.h"

#define DEPTH 4

static const struct {
	const char *text;
	size_t members;
} taken[] = {
	{ "null", 0 },
	{ "true", 0 },
	{ " \t\r\n0 \n", 0 },
	{ "-1", 0 },
	{ "-9223372036854775808", 0 },
	{ "18446744073709551615", 0 },
	{ "[1.5,-0.5,1e2,1E+2,0e-1,1.25E10]", 0 },
	{ "\"\"", 0 },
	{ "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\\u0000\"", 0 },
	{ "\"\\ud83d\\uDE00\"", 0 },
	{ "\"\x7f \xc2\x80 \xdf\xbf \xe0\xa0\x80 \xed\x9f\xbf \xee\x80\x80 \xf0\x90\x80\x80 "
	  "\xf4\x8f\xbf\xbf\"",
	  0 },
	{ "{}", 0 },
	{ "[]", 0 },
	{ "[ [ ] , { } ]", 0 },
	{ "{\"a\":1,\"a\":2}", 2 }, /* who counts them in what was read sees one less */
	{ "{ \"a\" : { \"b:\" : [ true , false , null ] } , \"c\\\":\" : \":\" }", 3 },
	{ "[[[[1]]]]", 0 },
	{ "[[[[]]],[[[]]]]", 0 },
};

static void test_taken(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(taken); i++) {
		struct strict_json t =
			strict_json_check(taken[i].text, strlen(taken[i].text), DEPTH);

		if (t.wrong)
			fail_msg("%s: %s at %zu", taken[i].text, t.wrong, t.at);
		assert_int_equal(t.members, taken[i].members);
		assert_int_equal(t.at, strlen(taken[i].text));
	}
}

static const struct {
	const char *text, *words;
	size_t at;
} refused[] = {
	{ "", "no end", 0 },
	{ " ", "no end", 1 },
	{ "{", "name is missing", 1 },
	{ "[", "no end", 1 },
	{ "[1", "no end", 2 },
	{ "\"a", "no end", 2 },
	{ "]", "not a value", 0 },
	{ "[1}", "a comma or an end", 2 },
	{ "{\"a\":1]", "a comma or an end", 6 },
	{ "[1 2]", "a comma or an end", 3 },
	{ "[1,]", "not a value", 3 },
	{ "[,1]", "not a value", 1 },
	{ "{\"a\":1,}", "name is missing", 7 },
	{ "{\"a\"}", "a colon", 4 },
	{ "{\"a\" 1}", "a colon", 5 },
	{ "{\"a\":}", "not a value", 5 },
	{ "{a:1}", "name is missing", 1 },
	{ "{'a':1}", "name is missing", 1 },
	{ "{1:1}", "name is missing", 1 },
	{ "True", "not a value", 0 },
	{ "nul", "not a value", 0 },
	{ "nulll", "not a value", 0 },
	{ "NaN", "not a value", 0 },
	{ "-Infinity", "a number", 0 },
	{ "/* */1", "not a value", 0 },
	{ "1//", "data after", 1 },
	{ "1 2", "data after the JSON text", 2 },
	{ "{} {}", "data after the JSON text", 3 },
	/* numbers */
	{ "01", "a number", 0 },
	{ "-", "a number", 0 },
	{ "-01", "a number", 0 },
	{ "+1", "not a value", 0 },
	{ ".5", "not a value", 0 },
	{ "1.", "a number", 2 },
	{ "1.e1", "a number", 2 },
	{ "1e", "a number", 2 },
	{ "1e+", "a number", 3 },
	{ "0x10", "data after", 1 },
	{ "18446744073709551616", "64 bits", 20 },
	{ "-9223372036854775809", "64 bits", 20 },
	{ "[99999999999999999999999999]", "64 bits", 27 },
	{ "-0", "64 bits", 2 },
	/* strings */
	{ "\"\n\"", "control character", 1 },
	{ "\"\x1f\"", "control character", 1 },
	{ "\"\\x41\"", "an escape", 1 },
	{ "\"\\", "an escape", 1 },
	{ "\"\\u12\"", "four hexadecimal", 1 },
	{ "\"\\u123g\"", "four hexadecimal", 1 },
	{ "\"\\u00\x10\x11\"", "four hexadecimal", 1 },
	{ "\"\\ud83d\"", "surrogate", 7 },
	{ "\"\\ud83d\\n\"", "surrogate", 7 },
	{ "\"\\ud83d\\u0041\"", "surrogate", 7 },
	{ "\"\\ude00\\ud83d\"", "surrogate", 7 },
	{ "\"\xff\"", "UTF-8", 1 },
	{ "\"\x80\"", "UTF-8", 1 },
	{ "\"\xc1\xbf\"", "UTF-8", 1 },
	{ "\"\xc3\"", "UTF-8", 1 },
	{ "\"\xe0\x9f\xbf\"", "UTF-8", 1 },
	{ "\"\xe1\x80\"", "UTF-8", 1 },
	{ "\"\xed\xa0\x80\"", "UTF-8", 1 },
	{ "\"\xf0\x8f\xbf\xbf\"", "UTF-8", 1 },
	{ "\"\xf1\x80\x80\"", "UTF-8", 1 },
	{ "\"\xf4\x90\x80\x80\"", "UTF-8", 1 },
	{ "\xef\xbb\xbf{}", "not a value", 0 },
	{ "{\"a\\u0000\":1}", "name has a NUL", 3 },
	/* nesting */
	{ "[[[[[", "nesting", 4 },
	{ "{\"a\":[{\"a\":[{", "nesting", 12 },
};

static void test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		struct strict_json t =
			strict_json_check(refused[i].text, strlen(refused[i].text), DEPTH);

		if (!t.wrong || !strstr(t.wrong, refused[i].words) || t.at != refused[i].at)
			fail_msg("%s: \"%s\" at %zu, not \"%s\" at %zu", refused[i].text, t.wrong,
				 t.at, refused[i].words, refused[i].at);
	}
}

/* A NUL is no end of the text, wherever it stands. */
static void test_nul(void **state)
{
	static const char *const texts[] = { "1?", "?1", "[1?]", "\"?\"", "{\"a\"?:1}" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		char *copy = strdup(texts[i]);

		*strchr(copy, '?') = '\0';
		assert_non_null(strict_json_check(copy, strlen(texts[i]), DEPTH).wrong);
		free(copy);
	}
}

/* The bits of what is open are 64, whatever is asked for. */
static void test_depth(void **state)
{
	char text[256];

	(void)state;
	for (unsigned int depth = 1; depth < 100; depth++) {
		bool fits = depth <= STRICT_JSON_DEPTH_MAX;

		memset(text, '[', depth);
		memset(text + depth, ']', depth);
		assert_int_equal(!strict_json_check(text, 2UL * depth, 1000).wrong, fits);
		assert_int_equal(!strict_json_check(text, 2UL * depth, depth).wrong, fits);
		assert_non_null(strict_json_check(text, 2UL * depth, depth - 1).wrong);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_taken),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_nul),
		cmocka_unit_test(test_depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
