// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <string.h>

#include "verity/trailer.h"

static void put_le(uint8_t *at, size_t size, uint64_t value)
{
	for (size_t i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static const struct row {
	const char *label;
	uint64_t data_block_size, hash_block_size, data_blocks, at_bytes;
	const char *words; /* NULL: taken */
	uint64_t start;
} rows[] = {
	/* 2,525 blocks need 158 + 10 + 1 blocks of 16 digests each. */
	{ "fits", 512, 512, 2525, (2525 + 169) * 512, NULL, 2525 },
	{ "one short", 512, 512, 2525, (2525 + 169) * 512 - 1, "tree ends at 1379328", 0 },
	{ "tardev", 4096, 4096, 343, (343 + 4) * 4096 + 3584, NULL, 343 },
	{ "rounded", 512, 4096, 9, 65536, NULL, 2 },
	{ "one block", 4096, 4096, 1, 4096, NULL, 1 },
	{ "no blocks", 512, 512, 0, 1 << 20, "no data blocks", 0 },
	{ "small", 256, 512, 8, 1 << 20, "block sizes of 256 and 512", 0 },
	{ "odd", 512, 768, 8, 1 << 20, "block sizes of 512 and 768", 0 },
	{ "large", 1 << 20, 512, 8, 1 << 20, "block sizes of 1048576", 0 },
	{ "zero", 0, 512, 8, 1 << 20, "block sizes of 0", 0 },
	{ "overflow", 512, 512, UINT64_MAX, UINT64_MAX, "2^63", 0 },
	{ "nearly", 512, 512, INT64_MAX / 512, UINT64_MAX, "2^63", 0 },
};

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		struct verity_params p = { .data_blocks = 77 };
		uint8_t bytes[VERITY_TRAILER_SIZE];
		struct err e = { 0 };
		int r;

		put_le(bytes, 4, row->data_block_size);
		put_le(bytes + 4, 4, row->hash_block_size);
		put_le(bytes + 8, 8, row->data_blocks);
		r = verity_trailer_read(bytes, row->at_bytes, &p, &e);
		if (row->words) {
			expect_failure(row->label, r, &e, FAIL_VERITY_PARAMS_INVALID, row->words);
			assert_int_equal(p.data_blocks, 77);
			continue;
		}
		expect_success(row->label, r, &e);
		assert_int_equal(p.data_block_size, row->data_block_size);
		assert_int_equal(p.hash_block_size, row->hash_block_size);
		assert_int_equal(p.data_blocks, row->data_blocks);
		assert_int_equal(p.hash_start_block, row->start);
		assert_true(p.hash_start_given);
		assert_int_equal(p.hash_type, 1);
		assert_string_equal(p.hash_name, "sha256");
		assert_int_equal(p.salt_size, 32);
		for (size_t byte = 0; byte < 32; byte++)
			assert_int_equal(p.salt[byte], 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
