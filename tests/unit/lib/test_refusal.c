// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* A failure as JSON, from the shortest to the longest. */
#include "tests/unit/unit.h"

#include <string.h>

#include "lib/refusal.h"

static void test_shape(void **state)
{
	char text[REFUSAL_SIZE];
	struct out o = { .text = text, .size = sizeof(text) };

	(void)state;
	out_refusal(&o, "verity", "volume-1", "DATA_CORRUPT", "a \"quoted\" \\ reason");
	assert_string_equal(text, "{\"error\":{\"code\":\"DATA_CORRUPT\",\"step\":\"verity\","
				  "\"volume\":\"volume-1\","
				  "\"message\":\"a \\\"quoted\\\" \\\\ reason\"}}\n");
	o = (struct out){ .text = text, .size = sizeof(text) };
	out_refusal(&o, "list", "", "NONE", "");
	assert_string_equal(text, "{\"error\":{\"code\":\"NONE\",\"step\":\"list\","
				  "\"volume\":null,\"message\":\"\"}}\n");
}

/* Texts of err.h are printable: at the most each of their bytes is two. */
static void test_longest(void **state)
{
	char text[REFUSAL_SIZE], volume[ERR_VOLUME_SIZE], message[ERR_TEXT_SIZE];
	struct out o = { .text = text, .size = sizeof(text) };

	(void)state;
	memset(volume, '"', sizeof(volume));
	memset(message, '\\', sizeof(message));
	volume[sizeof(volume) - 1] = message[sizeof(message) - 1] = '\0';
	for (int code = 0; code < FAIL_CODES; code++) {
		o = (struct out){ .text = text, .size = sizeof(text) };
		out_refusal(&o, "a step of 16 by", volume, fail_name((enum fail_code)code),
			    message);
		assert_true(o.length < sizeof(text));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shape),
		cmocka_unit_test(test_longest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
