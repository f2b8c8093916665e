// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <errno.h>
#include <string.h>

#include "lib/base64.h"

/* The first seven are RFC 4648's, section 10. */
static const struct {
	const char *text;
	int result; /* bytes, or -EINVAL */
	const char *bytes;
} vectors[] = {
	{ "", 0, "" },
	{ "Zg==", 1, "f" },
	{ "Zm8=", 2, "fo" },
	{ "Zm9v", 3, "foo" },
	{ "Zm9vYg==", 4, "foob" },
	{ "Zm9vYmE=", 5, "fooba" },
	{ "Zm9vYmFy", 6, "foobar" },
	{ "AAAA", 3, "\0\0\0" },
	{ "/+7+", 3, "\xff\xee\xfe" },
	/* no padding, too much, too little, in the middle */
	{ "Zg", -EINVAL, NULL },
	{ "Zg=", -EINVAL, NULL },
	{ "Zg===", -EINVAL, NULL },
	{ "Zm8", -EINVAL, NULL },
	{ "Zm9v=", -EINVAL, NULL },
	{ "Zm9v====", -EINVAL, NULL },
	{ "Z", -EINVAL, NULL },
	{ "Z===", -EINVAL, NULL },
	{ "=", -EINVAL, NULL },
	{ "Zg==Zg==", -EINVAL, NULL },
	{ "Zm=v", -EINVAL, NULL },
	/* bits that nothing says */
	{ "Zh==", -EINVAL, NULL },
	{ "Zm9=", -EINVAL, NULL },
	/* other characters */
	{ "Zm9v\n", -EINVAL, NULL },
	{ " Zm9v", -EINVAL, NULL },
	{ "Zm 9v", -EINVAL, NULL },
	{ "Zm9-", -EINVAL, NULL },
	{ "Zm9_", -EINVAL, NULL },
	{ "Zm9\xc3", -EINVAL, NULL },
};

static void test_vectors(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		uint8_t out[16] = "untouched";
		int r = base64_decode(vectors[i].text, out, sizeof(out));

		if (r != vectors[i].result)
			fail_msg("\"%s\" gives %d", vectors[i].text, r);
		assert_memory_equal(out, r < 0 ? "untouched" : vectors[i].bytes,
				    r < 0 ? 10 : (size_t)r);
		if (r >= 0)
			assert_memory_equal(out + r, &"untouched\0\0\0\0\0\0"[r],
					    sizeof(out) - (size_t)r);
	}
}

static void test_room(void **state)
{
	static const char *const texts[] = { "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy" };

	(void)state;
	for (size_t size = 4; size <= 6; size++) {
		uint8_t out[6];

		assert_int_equal(base64_decode(texts[size - 4], out, size), size);
		assert_int_equal(base64_decode(texts[size - 4], out, size - 1), -E2BIG);
		assert_int_equal(base64_decode(texts[size - 4], out, 0), -E2BIG);
	}
}

/* What stands behind the part is not looked at. */
static void test_part(void **state)
{
	uint8_t out[16] = "untouched";

	(void)state;
	assert_int_equal(base64_decode_part("Zm9vYg==\n", 8, out, sizeof(out)), 4);
	assert_memory_equal(out, "foobuched", 9);
	assert_int_equal(base64_decode_part("Zm9vYg==", 4, out, sizeof(out)), 3);
	assert_int_equal(base64_decode_part("Zm9v", 0, out, sizeof(out)), 0);
	for (size_t i = 5; i < 8; i++)
		assert_int_equal(base64_decode_part("Zm9vYg==", i, out, sizeof(out)), -EINVAL);
	assert_int_equal(base64_decode_part("Zm9vYg==\n", 9, out, sizeof(out)), -EINVAL);
	assert_int_equal(base64_decode_part("Zm9vYmE=", 8, out, 4), -E2BIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_part),
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
