// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <errno.h>
#include <string.h>

#include "verity/superblock.h"

/* What veritysetup 2.6.1 wrote for 6 blocks of 4096, salt 0011223344, this UUID. */
static const uint8_t reference[96] = {
	'v',  'e',  'r',  'i',  't',  'y',  0,    0,    1,    0,    0,    0,    1,    0,
	0,    0,    0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0x4d, 0xef, 0x81, 0x23, 0x45, 0x67,
	0x89, 0xab, 0xcd, 0xef, 's',  'h',  'a',  '2',  '5',  '6',  0,    0,    0,    0,
	0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,
	0,    0,    0,    0,    0,    0,    0,    0,    0,    0x10, 0,    0,    0,    0x10,
	0,    0,    6,    0,    0,    0,    0,    0,    0,    0,    5,    0,    0,    0,
	0,    0,    0,    0,    0x00, 0x11, 0x22, 0x33, 0x44, 0,    0,    0,
};

static void fill(uint8_t bytes[VERITY_SUPERBLOCK_SIZE])
{
	memset(bytes, 0, VERITY_SUPERBLOCK_SIZE);
	memcpy(bytes, reference, sizeof(reference));
}

static void test_read(void **state)
{
	uint8_t bytes[VERITY_SUPERBLOCK_SIZE], uuid[UUID_SIZE];
	struct verity_params p;
	struct err e = { .text = "" };

	(void)state;
	fill(bytes);
	expect_success("read", verity_superblock_read(bytes, 24576, &p, uuid, &e), &e);
	assert_string_equal(p.hash_name, "sha256");
	assert_int_equal(p.hash_type, 1);
	assert_int_equal(p.data_block_size, 4096);
	assert_int_equal(p.hash_block_size, 4096);
	assert_int_equal(p.data_blocks, 6);
	assert_int_equal(p.salt_size, 5);
	assert_memory_equal(p.salt, reference + 88, 5);
	assert_true(p.hash_start_given);
	assert_int_equal(p.hash_start_block, 7);
	assert_int_equal(p.root_hash_size, 0);
	assert_memory_equal(uuid, reference + 16, sizeof(uuid));
	expect_success("no uuid wanted", verity_superblock_read(bytes, 0, &p, NULL, &e), &e);
	assert_int_equal(p.hash_start_block, 1);
}

/* One field changed; the result is refused, or another tree. */
static const struct {
	const char *label;
	size_t at;
	uint8_t size;
	uint64_t value;
	const char *words; /* NULL: allowed */
} changes[] = {
	{ "version 0", 8, 4, 0, "version" },
	{ "version 2", 8, 4, 2, "version" },
	{ "version's third byte", 8, 4, 0x10001, "version" },
	{ "hash type 0", 12, 4, 0, "hash type 0, only 1 is supported" },
	{ "hash type 2", 12, 4, 2, "hash type" },
	{ "hash sha1", 32, 8, 0x31616873, "not allowed" },
	{ "hash without a name", 32, 8, 0, "not allowed" },
	{ "data block 0", 64, 4, 0, "block sizes" },
	{ "data block 256", 64, 4, 256, "block sizes" },
	{ "data block 512", 64, 4, 512, NULL },
	{ "data block 4097", 64, 4, 4097, "block sizes" },
	{ "data block 524288", 64, 4, 524288, NULL },
	{ "data block 1 MiB", 64, 4, 1 << 20, "block sizes" },
	{ "data block 2^31", 64, 4, 1U << 31, "block sizes" },
	{ "hash block 0", 68, 4, 0, "block sizes" },
	{ "hash block 3000", 68, 4, 3000, "block sizes" },
	{ "hash block 512", 68, 4, 512, NULL },
	{ "data blocks 0", 72, 8, 0, "no data blocks" },
	{ "data blocks 1", 72, 8, 1, NULL },
	{ "data blocks 2^64 - 1", 72, 8, UINT64_MAX, "" },
	{ "data blocks 2^52", 72, 8, 1ULL << 52, "" },
	{ "salt of 256", 80, 2, 256, NULL },
	{ "salt of 257", 80, 2, 257, "salt" },
	{ "salt of 65535", 80, 2, 65535, "salt" },
	{ "no salt", 80, 2, 0, NULL },
};

static void test_hostile_fields(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		uint8_t bytes[VERITY_SUPERBLOCK_SIZE], uuid[UUID_SIZE] = { 1 };
		struct verity_params p, before;
		struct err e = { .text = "" };
		int r;

		memset(&p, 0x5a, sizeof(p));
		before = p;
		fill(bytes);
		for (uint8_t j = 0; j < changes[i].size; j++)
			bytes[changes[i].at + j] = (uint8_t)(changes[i].value >> 8 * j);
		r = verity_superblock_read(bytes, 24576, &p, uuid, &e);
		if (!changes[i].words) {
			expect_success(changes[i].label, r, &e);
			continue;
		}
		expect_failure(changes[i].label, r, &e, FAIL_VERITY_PARAMS_INVALID,
			       changes[i].words);
		assert_memory_equal(&p, &before, sizeof(p));
		assert_int_equal(uuid[0], 1);
	}
}

static void test_not_one(void **state)
{
	uint8_t bytes[VERITY_SUPERBLOCK_SIZE];
	struct verity_params p;
	struct err e = { .text = "" };

	(void)state;
	for (size_t i = 0; i < 8; i++) {
		fill(bytes);
		bytes[i] ^= 1;
		assert_int_equal(verity_superblock_read(bytes, 0, &p, NULL, &e), -ENODATA);
	}
	fill(bytes);
	memset(bytes + 32, 's', VERITY_HASH_NAME_SIZE);
	expect_failure("name without an end", verity_superblock_read(bytes, 0, &p, NULL, &e), &e,
		       FAIL_VERITY_PARAMS_INVALID, "not terminated");
	fill(bytes);
	expect_failure("offset", verity_superblock_read(bytes, UINT64_MAX - 100, &p, NULL, &e), &e,
		       FAIL_VERITY_PARAMS_INVALID, "too far from the start");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_hostile_fields),
		cmocka_unit_test(test_not_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
