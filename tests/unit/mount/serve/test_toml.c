// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Initdata: the one text that is asked for, or a refusal with its line. */
#include "mount/serve/toml.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

#define HEAD "algorithm = \"sha384\"\nversion = \"0.1.0\"\n"

static const struct {
	const char *label, *text;
	const char *value; /* of data's "socle.json"; NULL: not there */
} found[] = {
	{ "empty", "", NULL },
	{ "no line end", HEAD "[data]\n\"socle.json\" = \"x\"", "x" },
	{ "basic", HEAD "[data]\n\"socle.json\" = \"a\\\"b\\\\c\\td\\u00e4\\U0001F600\"\n",
	  "a\"b\\c\td\xc3\xa4\xf0\x9f\x98\x80" },
	{ "literal", HEAD "[data]\n'socle.json' = 'a\\b\"'\n", "a\\b\"" },
	{ "literal of lines", HEAD "[data]\n\"socle.json\" = '''\n{\"a\":\n\"b'c''\"}\n'''\n",
	  "{\"a\":\n\"b'c''\"}\n" },
	{ "basic of lines", HEAD "[data]\n\"socle.json\" = \"\"\"\na\\\n   \n\t b\"\"c\\\"\"\"\"\n",
	  "ab\"\"c\"" },
	{ "quotes before the end", HEAD "[data]\n\"socle.json\" = '''a'''''\n", "a''" },
	{ "empty literal", HEAD "[data]\n\"socle.json\" = ''\n", "" },
	{ "empty of lines", HEAD "[data]\n\"socle.json\" = \"\"\"\"\"\"\n", "" },
	{ "carriage returns", "[data]\r\n\"socle.json\" = '''\r\na\r\nb'''\r\n", "a\r\nb" },
	{ "comments and blanks",
	  "# [data]\n\t[ data ] # x\n  \"socle.json\"\t=  'x' # \"socle.json\" = 'y'\n", "x" },
	{ "an escape in the key", "[data]\n\"s\\u006fcle.json\" = 'x'\n", "x" },
	{ "a name in quotes", "[\"data\"]\n'socle.json' = 'x'\n", "x" },
	{ "a table inside of a string",
	  HEAD "[data]\n\"aa.toml\" = '''\n[data]\n\"socle.json\" = \"y\"\n'''\n", NULL },
	{ "a key inside of a string",
	  HEAD "[data]\n\"aa.toml\" = \"\"\"\n'socle.json' = 'y'\n\"\"\"\n\"socle.json\" = 'x'\n",
	  "x" },
	{ "in another table", "[other]\n\"socle.json\" = 'y'\n[data]\na = 1\n", NULL },
	{ "before every table", "\"socle.json\" = 'y'\n[data]\n", NULL },
	{ "a bare key of another name", "[data]\nsocle-json = 'y'\n", NULL },
	{ "plain values",
	  "a = 1\nb = -1.5e3\nc = true\nd = 1979-05-27T07:32:00Z\n"
	  "e = 0xff_00\n[data]\n\"socle.json\" = 'x'\n",
	  "x" },
	{ "arrays",
	  "a = [ ]\nb = [ 1, 'two', [ \"]\", '''\n]''' ], # ]\n 3,\n]\n"
	  "[data]\n\"socle.json\" = 'x'\n",
	  "x" },
	{ "array of the line that is asked for",
	  "a = [ '\\n[data]', \"\"\"\n[data]\n\"socle.json\" = 'y'\n\"\"\" ]\n", NULL },
	{ "eight arrays", "a = [[[[[[[[1]]]]]]]]\n[data]\n\"socle.json\" = 'x'", "x" },
};

static const struct {
	const char *label, *text, *words;
	enum fail_code code;
} refused[] = {
	{ "value twice", "[data]\n\"socle.json\" = 'x'\n'socle.json' = 'y'\n",
	  "line 3: \"socle.json\" is specified twice", FAIL_KEY_REPEATED },
	{ "another key twice", "[data]\na = 1\n\"a\" = 2\n", "line 3: \"a\" is specified twice",
	  FAIL_KEY_REPEATED },
	{ "table twice", "[data]\na = 1\n[b]\n[\"data\"]\n", "line 4: \"data\" is specified twice",
	  FAIL_KEY_REPEATED },
	{ "table and key", "data = 'x'\n[data]\n", "line 2: \"data\" is specified twice",
	  FAIL_KEY_REPEATED },
	{ "dotted key", "[data]\nsocle.json = 'x'\n", "line 2: dotted keys",
	  FAIL_DESCRIPTION_INVALID },
	{ "dotted table", "[data.more]\n", "line 1: dotted keys", FAIL_DESCRIPTION_INVALID },
	{ "array of tables", "[[data]]\n", "arrays of tables", FAIL_DESCRIPTION_INVALID },
	{ "inline table", "data = { \"socle.json\" = 'x' }\n", "inline tables",
	  FAIL_DESCRIPTION_INVALID },
	{ "inline table in an array", "a = [ { b = 1 } ]\n", "inline tables",
	  FAIL_DESCRIPTION_INVALID },
	{ "not a string", "[data]\n\"socle.json\" = 1\n", "has to be a string",
	  FAIL_DESCRIPTION_INVALID },
	{ "no value", "a =\n", "line 1: a value is missing", FAIL_DESCRIPTION_INVALID },
	{ "no equals sign", "a\n", "no \"=\"", FAIL_DESCRIPTION_INVALID },
	{ "no name", "= 1\n", "a name is missing", FAIL_DESCRIPTION_INVALID },
	{ "no equals sign at the end", "a", "no \"=\"", FAIL_DESCRIPTION_INVALID },
	{ "no bracket at the end", "[data", "no \"]\"", FAIL_DESCRIPTION_INVALID },
	{ "a table's name at the end", "[", "a name is missing", FAIL_DESCRIPTION_INVALID },
	{ "no bracket", "[data\na = 1\n", "no \"]\"", FAIL_DESCRIPTION_INVALID },
	{ "two values", "a = 1 2\n", "something follows", FAIL_DESCRIPTION_INVALID },
	{ "two pairs", "a = 'b' c = 1\n", "something follows", FAIL_DESCRIPTION_INVALID },
	{ "behind a table", "[data] a = 1\n", "something follows", FAIL_DESCRIPTION_INVALID },
	{ "open string", "a = \"x\nb = 1\n", "line 1: a string has no end",
	  FAIL_DESCRIPTION_INVALID },
	{ "open string at the end", "a = 'x", "a string has no end", FAIL_DESCRIPTION_INVALID },
	{ "open string of lines", "a = '''x\n\n", "a string has no end", FAIL_DESCRIPTION_INVALID },
	{ "a backslash at the end", "a = \"\\", "unknown escape", FAIL_DESCRIPTION_INVALID },
	{ "unknown escape", "a = \"\\x41\"\n", "unknown escape", FAIL_DESCRIPTION_INVALID },
	{ "line's end in a string of one", "a = \"x\\\n y\"\n", "unknown escape",
	  FAIL_DESCRIPTION_INVALID },
	{ "short escape", "a = \"\\u12\"\n", "too few digits", FAIL_DESCRIPTION_INVALID },
	{ "surrogate", "a = \"\\ud800\"\n", "no character", FAIL_DESCRIPTION_INVALID },
	{ "NUL escape", "a = \"\\u0000\"\n", "no character", FAIL_DESCRIPTION_INVALID },
	{ "six quotes", "a = '''x''''''\n", "something follows", FAIL_DESCRIPTION_INVALID },
	{ "key of lines", "'''a''' = 1\n", "more than one line", FAIL_DESCRIPTION_INVALID },
	{ "open array", "a = [ 1,\n", "a value is missing", FAIL_DESCRIPTION_INVALID },
	{ "array without a comma", "a = [ 1 2 ]\n", "no comma", FAIL_DESCRIPTION_INVALID },
	{ "arrays without a comma", "a = [ [1] [2] ]\n", "no comma", FAIL_DESCRIPTION_INVALID },
	{ "array of a comma", "a = [ , ]\n", "a value is missing", FAIL_DESCRIPTION_INVALID },
	{ "nine arrays", "a = [[[[[[[[[1]]]]]]]]]\n", "nested too deeply",
	  FAIL_DESCRIPTION_INVALID },
	{ "control character", "a = 1 # \x01\n", "line 1: a control character",
	  FAIL_DESCRIPTION_INVALID },
	{ "carriage return alone", "a = 1\rb = 2\n", "a control character",
	  FAIL_DESCRIPTION_INVALID },
	{ "not UTF-8", "a = '\xff'\n", "not UTF-8", FAIL_DESCRIPTION_INVALID },
	{ "broken before the key", "a = $\n[data]\n\"socle.json\" = 'x'\n", "line 1",
	  FAIL_DESCRIPTION_INVALID },
	{ "broken behind the key", "[data]\n\"socle.json\" = 'x'\nb = $\n", "line 3",
	  FAIL_DESCRIPTION_INVALID },
};

static int find(const char *text, size_t size, char **ret, struct err *e)
{
	size_t length = SIZE_MAX;
	/* Nothing behind the end of it, where ASan sees who reads on. */
	char *exact = malloc(size + 1);
	int r;

	memcpy(exact, text, size);
	exact[size] = '\0';
	*ret = malloc(size + 1);
	r = toml_find(exact, size, "data", "socle.json", *ret, &length, e);
	free(exact);
	if (r > 0)
		assert_int_equal(length, strlen(*ret));
	return r;
}

static void test_found(void **state)
{
	struct err e = { 0 };
	char *value;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(found); i++) {
		int r = find(found[i].text, strlen(found[i].text), &value, &e);

		if (r != (found[i].value != NULL))
			fail_msg("%s: %d, %s", found[i].label, r, e.text);
		if (r > 0)
			assert_string_equal(value, found[i].value);
		free(value);
	}
}

static void test_refused(void **state)
{
	char *value;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		struct err e = { 0 };
		int r = find(refused[i].text, strlen(refused[i].text), &value, &e);

		expect_failure(refused[i].label, r, &e, refused[i].code, refused[i].words);
		free(value);
	}
}

static void test_nul(void **state)
{
	struct err e = { 0 };
	char *value;

	(void)state;
	expect_failure("NUL", find("a = 1\n\0b", 8, &value, &e), &e, FAIL_DESCRIPTION_INVALID,
		       "line 2: a control character");
	free(value);
}

/* Names up to the limits, and one more. */
static void test_limits(void **state)
{
	static char text[TOML_NAMES_MAX * 16 + TOML_NAME_SIZE + 16];
	struct err e = { 0 };
	char *value, *at;

	(void)state;
	for (int extra = 0; extra < 2; extra++) {
		at = text;
		for (int i = 0; i < TOML_NAMES_MAX + extra; i++)
			at += sprintf(at, "k%d = 1\n", i);
		if (extra)
			expect_failure("names", find(text, strlen(text), &value, &e), &e,
				       FAIL_LIMIT_EXCEEDED, "line 129: a table has more than 128");
		else
			expect_success("names", find(text, strlen(text), &value, &e), &e);
		free(value);
		memset(text, 'x', sizeof(text));
		strcpy(text + TOML_NAME_SIZE - 1 + extra, " = 1\n");
		if (extra)
			expect_failure("name", find(text, strlen(text), &value, &e), &e,
				       FAIL_LIMIT_EXCEEDED, "line 1: a name has more than 127");
		else
			expect_success("name", find(text, strlen(text), &value, &e), &e);
		free(value);
	}
	expect_failure("size", toml_find("", TOML_SIZE_MAX + 1, "a", "b", NULL, NULL, &e), &e,
		       FAIL_LIMIT_EXCEEDED, "more than 2097152 bytes");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_nul),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
