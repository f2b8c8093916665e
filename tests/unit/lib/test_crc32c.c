// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <string.h>

#include "lib/crc32c.h"
#include "lib/le.h"

/* RFC 3720, appendix B.4, and the field's usual check text. */
static void test_vectors(void **state)
{
	uint8_t bytes[32];

	(void)state;
	assert_int_equal(~crc32c_of(~0U, "123456789", 9), 0xe3069283);
	memset(bytes, 0, sizeof(bytes));
	assert_int_equal(~crc32c_of(~0U, bytes, sizeof(bytes)), 0x8a9136aa);
	memset(bytes, 0xff, sizeof(bytes));
	assert_int_equal(~crc32c_of(~0U, bytes, sizeof(bytes)), 0x62a8ab43);
	for (uint8_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = i;
	assert_int_equal(~crc32c_of(~0U, bytes, sizeof(bytes)), 0x46dd794e);
}

static void test_in_parts(void **state)
{
	(void)state;
	assert_int_equal(crc32c_of(crc32c_of(~0U, "1234", 4), "56789", 5),
			 crc32c_of(~0U, "123456789", 9));
	assert_int_equal(crc32c_of(~0U, "", 0), ~0U);
}

static void test_little_endian(void **state)
{
	uint8_t bytes[10] = { 0 };
	static const uint8_t expected[10] = { 0, 0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 1, 0 };

	(void)state;
	le_put(bytes + 1, 8, 0x0123456789abcdef);
	assert_memory_equal(bytes, expected, sizeof(bytes));
	assert_true(le_get(bytes + 1, 8) == 0x0123456789abcdef);
	le_put(bytes + 1, 3, 0xff000000);
	assert_true(le_get(bytes, 5) == 0x8900000000);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_in_parts),
		cmocka_unit_test(test_little_endian),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
