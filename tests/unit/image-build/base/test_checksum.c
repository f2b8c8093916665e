// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <stdlib.h>

#include "image-build/base/checksum.h"
#include "lib/crc32c.h"

/* Both ways give what the slow one gives, whatever the length, beginning and sum before. */
static void test_ways(void **state)
{
	static uint8_t bytes[5000];

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 7 + (i >> 8) * 13);
	for (size_t size = 0; size < sizeof(bytes) - 16; size += size < 600 ? 1 : 379) {
		const uint8_t *at = bytes + size % 16;
		uint32_t before = ~0U << size % 31, slow = crc32c_of(before, at, size);

		assert_int_equal(checksum(before, at, size), slow);
		assert_int_equal(checksum_by_table(before, at, size), slow);
	}
	assert_int_equal(~checksum(~0U, "123456789", 9), 0xe3069283);
}

int main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(test_ways) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
