// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <string.h>

#include "lib/uuid.h"

static void test_text(void **state)
{
	static const uint8_t uuid[UUID_SIZE] = { 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0x4d, 0xef,
						 0x81, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0x0f };
	char text[UUID_TEXT_SIZE + 1];

	(void)state;
	memset(text, 'x', sizeof(text));
	uuid_text(uuid, text);
	assert_string_equal(text, "12345678-9abc-4def-8123-456789abcd0f");
	assert_int_equal(strlen(text) + 1, UUID_TEXT_SIZE);
	assert_int_equal(text[UUID_TEXT_SIZE], 'x');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
