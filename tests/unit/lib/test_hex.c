// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <errno.h>
#include <string.h>

#include "lib/hex.h"

static const struct {
	const char *text;
	size_t size;
	int result;
	uint8_t bytes[4];
} vectors[] = {
	{ "", 4, 0, { 0 } },
	{ "", 0, 0, { 0 } },
	{ "00", 1, 1, { 0 } },
	{ "ff", 1, 1, { 0xff } },
	{ "FF", 1, 1, { 0xff } },
	{ "09af", 2, 2, { 0x09, 0xaf } },
	{ "aBcDeF01", 4, 4, { 0xab, 0xcd, 0xef, 0x01 } },
	{ "0", 4, -EINVAL, { 0 } },
	{ "000", 4, -EINVAL, { 0 } },
	{ "0g", 4, -EINVAL, { 0 } },
	{ "g0", 4, -EINVAL, { 0 } },
	{ "0G", 4, -EINVAL, { 0 } },
	{ "0/", 4, -EINVAL, { 0 } },
	{ "0:", 4, -EINVAL, { 0 } },
	{ "0@", 4, -EINVAL, { 0 } },
	{ "0`", 4, -EINVAL, { 0 } },
	{ "0x12", 4, -EINVAL, { 0 } },
	{ " 0", 4, -EINVAL, { 0 } },
	{ "+0", 4, -EINVAL, { 0 } },
	{ "0\n", 4, -EINVAL, { 0 } },
	{ "\xc3\xa9", 4, -EINVAL, { 0 } },
	{ "0011223344", 4, -E2BIG, { 0 } },
	{ "00", 0, -E2BIG, { 0 } },
	/* not hexadecimal comes before too long */
	{ "001122334g", 4, -EINVAL, { 0 } },
};

static void test_decode(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		uint8_t out[5] = { 0x5a, 0x5a, 0x5a, 0x5a, 0x5a };
		int r = hex_decode(vectors[i].text, out, vectors[i].size);
		size_t written = r > 0 ? (size_t)r : 0;

		if (r != vectors[i].result)
			fail_msg("\"%s\" gives %d, not %d", vectors[i].text, r, vectors[i].result);
		assert_memory_equal(out, vectors[i].bytes, written);
		for (size_t j = written; j < sizeof(out); j++)
			assert_int_equal(out[j], 0x5a);
	}
}

static void test_every_byte_there_and_back(void **state)
{
	uint8_t in[256], out[256];
	char text[2 * sizeof(in) + 1];

	(void)state;
	for (size_t i = 0; i < sizeof(in); i++)
		in[i] = (uint8_t)i;
	hex_encode(in, sizeof(in), text);
	assert_int_equal(strlen(text), 2 * sizeof(in));
	assert_memory_equal(text, "000102030405060708090a0b0c0d0e0f10", 34);
	assert_string_equal(text + 2 * 254, "feff");
	assert_int_equal(hex_decode(text, out, sizeof(out)), sizeof(out));
	assert_memory_equal(in, out, sizeof(in));
	hex_encode(in, 0, text);
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decode),
		cmocka_unit_test(test_every_byte_there_and_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
