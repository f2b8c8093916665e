// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <string.h>

#include "image-build/disk/erofs/xxh32.h"

/* Computed with Debian's python3-xxhash: every way through the algorithm. */
static const struct {
	const char *text;
	uint32_t seed, hash;
} vectors[] = {
	{ "", 0, 0x02cc5d05 },
	{ "", 0x9e3779b1, 0x36b78ae7 },
	{ "a", 0, 0x550d7456 },
	{ "abc", 0, 0x32d153ff },
	{ "Nobody inspects the spammish repetition", 0, 0xe2293b2f },
	{ "abcdefghijklmno", 0, 0xb918a375 },
	{ "abcdefghijklmnop", 0, 0x9d2d8b62 },
	{ "overlay.opaque", 0x25bbe08f + 4, 0x4ce0a7f4 },
};

static void test_vectors(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++)
		assert_int_equal(xxh32_of(vectors[i].text, strlen(vectors[i].text),
					  vectors[i].seed),
				 vectors[i].hash);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
