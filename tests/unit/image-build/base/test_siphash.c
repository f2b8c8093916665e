// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include "image-build/base/siphash.h"

/* Of the key 00 01 … 0f and the input 00 01 02 …: the paper's (15 bytes), and its authors' own. */
static const struct {
	size_t size;
	uint64_t hash;
} vectors[] = {
	{ 0, 0x726fdb47dd0e0e31 },
	{ 1, 0x74f839c593dc67fd },
	{ 8, 0x93f5f5799a932462 },
	{ 15, 0xa129ca6149be45e5 },
};

static void test_vectors(void **state)
{
	uint8_t bytes[SIPHASH_KEY_SIZE];

	(void)state;
	for (uint8_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = i;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++)
		assert_true(siphash(bytes, bytes, vectors[i].size) == vectors[i].hash);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
