// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <string.h>

#include "image-build/base/digest.h"
#include "image-build/disk/sha256_pair.h"

static void expect_digest(const uint8_t *prefix, size_t prefix_size, const uint8_t *block,
			  size_t size, const uint8_t *digest)
{
	struct digest d;
	struct hasher h;

	hasher_start(&h, "sha256");
	hasher_add(&h, prefix, prefix_size);
	hasher_add(&h, block, size);
	hasher_finish(&h, &d);
	hasher_stop(&h);
	assert_memory_equal(digest, d.bytes, SHA256_SIZE);
}

/* Every prefix, and blocks of any size and place, give what libcrypto gives. */
static void test_pairs(void **state)
{
	static const size_t sizes[] = { 64, 512, 4096, 4160, 65536 };
	static uint8_t bytes[2 * 65536 + 8];
	uint8_t digests[2][SHA256_SIZE];

	(void)state;
	if (!sha256_pair_usable())
		skip();
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 31 + (i >> 8) * 7 + (i >> 16));
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
		for (size_t prefix = 0; prefix <= SHA256_PAIR_PREFIX; prefix++) {
			const uint8_t *blocks[] = { bytes + prefix % 8,
						    bytes + prefix % 5 + sizes[s] };

			sha256_pair(bytes + 100, prefix, blocks, sizes[s],
				    (uint8_t *[]){ digests[0], digests[1] });
			expect_digest(bytes + 100, prefix, blocks[0], sizes[s], digests[0]);
			expect_digest(bytes + 100, prefix, blocks[1], sizes[s], digests[1]);
		}
}

int main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(test_pairs) };

	return cmocka_run_group_tests_name("sha256_pair", tests, NULL, NULL);
}
