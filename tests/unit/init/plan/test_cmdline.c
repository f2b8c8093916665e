// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "init/plan/cmdline.h"
#include "init/plan/module_params.h"

#define HEX64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define TABLE                                                                                      \
	"dm-verity,,,ro,0 736328 verity 1 /dev/vda1 /dev/vda2 4096 4096 92041 0 sha256 " HEX64     \
	" " HEX64

#define PARAMS_MAX 5

/* A word; value NULL: it has no '='. */
struct word {
	const char *key, *value;
};

/* A line and the kernel's view of it. */
static const struct {
	const char *line;
	struct word params[PARAMS_MAX + 1]; /* ends with a key of NULL */
} vectors[] = {
	{ "", { { NULL, NULL } } },
	{ " ", { { NULL, NULL } } },
	{ " \t\n\v\f\r\xa0", { { NULL, NULL } } },
	{ "quiet", { { "quiet", NULL } } },
	{ "a=b", { { "a", "b" } } },
	{ "a=", { { "a", "" } } },
	{ "a=b=c", { { "a", "b=c" } } },
	{ "a b=1 c", { { "a", NULL }, { "b", "1" }, { "c", NULL } } },
	{ "  a\t\tb=1\n", { { "a", NULL }, { "b", "1" } } },
	/* the kernel's blanks: Latin-1's no-break space is one, 0x85 is not */
	{ "a\xa0"
	  "b",
	  { { "a", NULL }, { "b", NULL } } },
	{ "a\x85"
	  "b=\xc3\xa9",
	  { { "a\x85"
	      "b",
	      "\xc3\xa9" } } },
	{ "a\x1f"
	  "b",
	  { { "a\x1f"
	      "b",
	      NULL } } },
	/* an equals sign in front of everything is part of the name */
	{ "=", { { "=", NULL } } },
	{ "=a", { { "=a", NULL } } },
	{ "=a=b", { { "=a", "b" } } },
	{ "==", { { "=", "" } } },
	/* quotes after the equals sign */
	{ "a=\"b c\" d", { { "a", "b c" }, { "d", NULL } } },
	{ "a=\"\" d", { { "a", "" }, { "d", NULL } } },
	{ "a=\"b\"c d", { { "a", "b\"c" }, { "d", NULL } } },
	{ "a=\"b c\"d\" e", { { "a", "b c\"d\" e" } } },
	{ "a=\"b\"\"c\" d", { { "a", "b\"\"c" }, { "d", NULL } } },
	/* quotes inside of a value stay, and hold it together */
	{ "a=b\"c d\"e f", { { "a", "b\"c d\"e" }, { "f", NULL } } },
	{ "a=b\" \"", { { "a", "b\" \"" } } },
	/* quotes before the name */
	{ "\"a=b c\" d", { { "a", "b c" }, { "d", NULL } } },
	{ "\"a b\"=c d", { { "a b\"", "c" }, { "d", NULL } } },
	{ "\"a\"", { { "a", NULL } } },
	{ "\"a b\" c", { { "a b", NULL }, { "c", NULL } } },
	{ "\"a=\"b\" c\" d", { { "a", "b\" c" }, { "d", NULL } } },
	{ "a\"=\"b c", { { "a\"", "b" }, { "c", NULL } } },
	/* quotes that nothing closes */
	{ "\"", { { "", NULL } } },
	{ "\"\"", { { "", NULL } } },
	{ "a=\"", { { "a", "" } } },
	{ "a=\"b c", { { "a", "b c" } } },
	{ "\"a b c", { { "a b c", NULL } } },
	{ "\" ", { { " ", NULL } } },
	/* no other character quotes */
	{ "a='b c'", { { "a", "'b" }, { "c'", NULL } } },
	{ "a=b\\ c", { { "a", "b\\" }, { "c", NULL } } },
	{ "a=\"b\\\"c d", { { "a", "b\\\"c" }, { "d", NULL } } },
	/* behind "--" stands what is the init's own */
	{ "a -- b", { { "a", NULL } } },
	{ "-- a=b", { { NULL, NULL } } },
	{ "\"--\" a", { { NULL, NULL } } },
	{ "a --", { { "a", NULL } } },
	{ "--- b", { { "---", NULL }, { "b", NULL } } },
	{ "--a b", { { "--a", NULL }, { "b", NULL } } },
	{ "--=a b", { { "--", "a" }, { "b", NULL } } },
	{ "a=-- b", { { "a", "--" }, { "b", NULL } } },
	{ "a=\" -- \" b", { { "a", " -- " }, { "b", NULL } } },
	/* a value with spaces, as Kata hands over a table */
	{ "ro dm-mod.create=\"" TABLE "\" root=/dev/dm-0",
	  { { "ro", NULL }, { "dm-mod.create", TABLE }, { "root", "/dev/dm-0" } } },
	{ "\"dm-mod.create=" TABLE "\" root=/dev/dm-0",
	  { { "dm-mod.create", TABLE }, { "root", "/dev/dm-0" } } },
	/* root= inside of a value and behind -- is no parameter */
	{ "unrelated=\"value with root=bogus\" root=/dev/vda1",
	  { { "unrelated", "value with root=bogus" }, { "root", "/dev/vda1" } } },
	{ "\"param=value with spaces\" root=/dev/vda1 -- root=/dev/vdb",
	  { { "param", "value with spaces" }, { "root", "/dev/vda1" } } },
	/* quotes, globs and plus in what is not ours */
	{ "dyndbg=\"file drivers/usb/* +p\" quiet",
	  { { "dyndbg", "file drivers/usb/* +p" }, { "quiet", NULL } } },
};

static int same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void test_vectors(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		/* on the heap, so that a byte behind the text is seen */
		char *line = strdup(vectors[i].line), *rest = line;
		const struct word *expected = vectors[i].params;
		struct cmdline_param param;

		while (cmdline_next(&rest, &param)) {
			if (!same(param.key, expected->key) || !same(param.value, expected->value))
				fail_msg("<%s>: <%s>=<%s>, expected <%s>=<%s>", vectors[i].line,
					 param.key, param.value ? param.value : "-",
					 expected->key ? expected->key : "-",
					 expected->value ? expected->value : "-");
			expected++;
		}
		if (expected->key)
			fail_msg("<%s>: <%s> is missing", vectors[i].line, expected->key);
		/* it stays at its end */
		assert_int_equal(cmdline_next(&rest, &param), 0);
		free(line);
	}
}

/* The last word says where the line ends inside of its quotes. */
static void test_open_quotes(void **state)
{
	static const struct {
		const char *line;
		bool open;
	} rows[] = {
		{ "a=\"b c\"", false }, { "a=\"b c", true },  { "\"a=b c\"", false },
		{ "\"a=b c", true },    { "a=b\"c d", true }, { "a=b\"c d\"e", false },
		{ "\"a\" b", false },   { "a=\"", true },     { "\"\"a=\"", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *line = strdup(rows[i].line), *rest = line;
		struct cmdline_param param = { .open_quote = !rows[i].open };

		while (cmdline_next(&rest, &param))
			;
		if (param.open_quote != rows[i].open)
			fail_msg("<%s>", rows[i].line);
		free(line);
	}
}

/* As long as the buffer for a line: one word, and as many words as go in. */
static void test_long_lines(void **state)
{
	char *line = malloc(CMDLINE_SIZE), *rest = line;
	struct cmdline_param param;
	size_t count = 0;

	(void)state;
	memset(line, 'x', CMDLINE_SIZE - 1);
	line[CMDLINE_SIZE - 1] = '\0';
	assert_int_equal(cmdline_next(&rest, &param), 1);
	assert_int_equal(strlen(param.key), CMDLINE_SIZE - 1);
	assert_null(param.value);
	assert_int_equal(cmdline_next(&rest, &param), 0);

	for (size_t i = 0; i < CMDLINE_SIZE - 1; i++)
		line[i] = i % 2 ? ' ' : 'y';
	line[CMDLINE_SIZE - 1] = '\0';
	for (rest = line; cmdline_next(&rest, &param); count++)
		assert_string_equal(param.key, "y");
	assert_int_equal(count, CMDLINE_SIZE / 2);
	free(line);
}

static void test_limit_is_known(void **state)
{
	static const char *const machines[] = { "x86_64", "aarch64", "s390x" };

	(void)state;
	assert_int_equal(cmdline_limit("x86_64"), 2047);
	assert_int_equal(cmdline_limit("aarch64"), 2047);
	assert_int_equal(cmdline_limit("s390x"), 4095);
	assert_int_equal(cmdline_limit("vax"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		assert_true(cmdline_limit(machines[i]) < CMDLINE_SIZE);
	/* and each guest knows its own */
	assert_true(cmdline_limit(CMDLINE_MACHINE) > 0);
}

/* --- what it says to a module ------------------------------------------------------ */

static const struct {
	const char *line, *file, *params;
} module_vectors[] = {
	{ "", "a.ko", "" },
	{ "quiet a b=1", "a.ko", "" },
	{ "a.x=1", "a.ko", "x=\"1\"" },
	{ "a.x=1", "a", "x=\"1\"" },
	{ "a.x=1 b.x=2 a.y= quiet a.z", "a.ko", "x=\"1\" y=\"\" z" },
	{ "a.x=\"1 2\" \"a.y=3 4\"", "a.ko", "x=\"1 2\" y=\"3 4\"" },
	/* one character for two */
	{ "dm_verity.require_signatures=1", "dm-verity.ko", "require_signatures=\"1\"" },
	{ "dm-verity.require-signatures=1", "dm_verity.ko", "require-signatures=\"1\"" },
	/* of others */
	{ "ab.x=1 .x=1 a=1 a. a.=1 A.x=1", "a.ko", "" },
	{ "a.x=1", "ab.ko", "" },
	{ "-- a.x=1", "a.ko", "" },
	/* all of them, where a name is specified twice: the kernel takes the last */
	{ "a.x=1 a.x=2", "a.ko", "x=\"1\" x=\"2\"" },
};

static void test_module_params(void **state)
{
	char out[64], line[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(module_vectors); i++) {
		strcpy(line, module_vectors[i].line);
		assert_int_equal(module_params(line, module_vectors[i].file, out, sizeof(out)), 0);
		assert_string_equal(out, module_vectors[i].params);
	}
	strcpy(line, "a.x=1 a.y");
	assert_int_equal(module_params(line, "a.ko", out, sizeof("x=\"1\" y")), 0);
	strcpy(line, "a.x=1 a.y");
	assert_int_equal(module_params(line, "a.ko", out, sizeof("x=\"1\" y") - 1), -E2BIG);
	assert_int_equal(module_params(line, "a.ko", out, 0), -E2BIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_module_params),  cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_open_quotes),    cmocka_unit_test(test_long_lines),
		cmocka_unit_test(test_limit_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
