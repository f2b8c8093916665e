// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* The header of a frame, byte by byte. */
#include "mount/serve/frame.h"

#include <string.h>

#include "tests/unit/unit.h"

static void test_header(void **state)
{
	static const uint8_t bytes[FRAME_HEADER_SIZE] = { 0, 1, 2, 3, 0x80, 0, 0, 7, 2, 1 };
	uint8_t again[FRAME_HEADER_SIZE];
	struct frame f;

	(void)state;
	frame_read(bytes, &f);
	assert_int_equal(f.size, 0x010203);
	assert_int_equal(f.stream, 0x80000007);
	assert_int_equal(f.type, FRAME_RESPONSE);
	assert_int_equal(f.flags, FRAME_REMOTE_CLOSED);
	frame_write(&f, again);
	assert_memory_equal(again, bytes, sizeof(bytes));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_header),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
