// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Text and JSON into memory that may be too small. */
#include "tests/unit/unit.h"

#include <string.h>

#include "lib/out.h"

static void put(struct out *o)
{
	out_open(o, NULL, '{');
	out_text(o, "te\"xt", "a\"b\\c\nd\x01\xc3\xa4/");
	out_number(o, "number", UINT64_MAX);
	out_bool(o, "yes", true);
	out_bool(o, "no", false);
	out_hex(o, "hex", (const uint8_t *)"\x00\xff\x5a", 3);
	out_hex(o, "empty", NULL, 0);
	out_open(o, "array", '[');
	out_open(o, NULL, '[');
	out_close(o, ']');
	out_number(o, NULL, 1);
	out_open(o, NULL, '{');
	out_close(o, '}');
	out_close(o, ']');
	out_close(o, '}');
	out_printf(o, "\n%s\n", "end");
}

static const char whole[] = "{\n"
			    "  \"te\\\"xt\":\"a\\\"b\\\\c\\u000ad\\u0001\xc3\xa4/\",\n"
			    "  \"number\":18446744073709551615,\n"
			    "  \"yes\":true,\n"
			    "  \"no\":false,\n"
			    "  \"hex\":\"00ff5a\",\n"
			    "  \"empty\":\"\",\n"
			    "  \"array\":[\n"
			    "    [],\n"
			    "    1,\n"
			    "    {}\n"
			    "  ]\n"
			    "}\n"
			    "end\n";

static void test_whole(void **state)
{
	char text[sizeof(whole)] = "";
	struct out o = { .text = text, .size = sizeof(text) };

	(void)state;
	put(&o);
	assert_string_equal(text, whole);
	assert_int_equal(o.length, sizeof(whole) - 1);
}

/* Whatever the size, the beginning is right, nothing is behind it, and the length is known. */
static void test_cut(void **state)
{
	char text[sizeof(whole)];

	(void)state;
	for (size_t size = 0; size < sizeof(whole); size++) {
		struct out o = { .text = size ? text : NULL, .size = size };

		memset(text, '?', sizeof(text));
		put(&o);
		assert_int_equal(o.length, sizeof(whole) - 1);
		assert_int_equal(text[size], '?');
		if (size) {
			assert_int_equal(strlen(text), size - 1);
			assert_memory_equal(text, whole, size - 1);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
