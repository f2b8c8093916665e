// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "verity/params.h"

#define HEX16  "0123456789abcdef"
#define HEX32  HEX16 HEX16
#define HEX64  HEX32 HEX32
#define HEX128 HEX64 HEX64

/* One key and what becomes of it; words NULL: taken. */
static const struct set_row {
	const char *key, *value;
	enum fail_code code;
	const char *words;
} set_rows[] = {
	{ "hash", "sha256", FAIL_NONE, NULL },
	{ "hash", "sha384", FAIL_NONE, NULL },
	{ "hash", "sha512", FAIL_NONE, NULL },
	{ "hash", "", FAIL_VERITY_PARAMS_INVALID, "is not one of sha256, sha384, sha512" },
	{ "hash", "sha1", FAIL_VERITY_PARAMS_INVALID, "hash=sha1 is not one of" },
	{ "hash", "SHA256", FAIL_VERITY_PARAMS_INVALID, "hash=SHA256" },
	{ "hash", "sha2567", FAIL_VERITY_PARAMS_INVALID, "hash=sha2567" },
	{ "hash", "crc32", FAIL_VERITY_PARAMS_INVALID, "hash=crc32" },
	{ "format", "0", FAIL_NONE, NULL },
	{ "format", "1", FAIL_NONE, NULL },
	{ "format", "2", FAIL_VERITY_PARAMS_INVALID, "format=2 is not a whole number from 0 to 1" },
	{ "format", "", FAIL_VERITY_PARAMS_INVALID, "format=" },
	{ "data_block_size", "512", FAIL_NONE, NULL },
	{ "data_block_size", "4096", FAIL_NONE, NULL },
	{ "data_block_size", "524288", FAIL_NONE, NULL },
	{ "data_block_size", "256", FAIL_VERITY_PARAMS_INVALID, "power of two from 512 to 524288" },
	{ "data_block_size", "511", FAIL_VERITY_PARAMS_INVALID, "data_block_size=511" },
	{ "data_block_size", "513", FAIL_VERITY_PARAMS_INVALID, "data_block_size=513" },
	{ "data_block_size", "4095", FAIL_VERITY_PARAMS_INVALID, "data_block_size=4095" },
	{ "data_block_size", "524289", FAIL_VERITY_PARAMS_INVALID, "data_block_size=524289" },
	{ "data_block_size", "1048576", FAIL_VERITY_PARAMS_INVALID, "data_block_size=1048576" },
	{ "data_block_size", "0", FAIL_VERITY_PARAMS_INVALID, "data_block_size=0" },
	{ "data_block_size", "4k", FAIL_VERITY_PARAMS_INVALID, "data_block_size=4k" },
	{ "data_block_size", "4294971392", FAIL_VERITY_PARAMS_INVALID, "data_block_size=" },
	{ "hash_block_size", "512", FAIL_NONE, NULL },
	{ "hash_block_size", "524288", FAIL_NONE, NULL },
	{ "hash_block_size", "256", FAIL_VERITY_PARAMS_INVALID, "hash_block_size=256" },
	{ "hash_block_size", "1048576", FAIL_VERITY_PARAMS_INVALID, "hash_block_size=1048576" },
	{ "hash_block_size", "3072", FAIL_VERITY_PARAMS_INVALID, "hash_block_size=3072" },
	{ "data_blocks", "1", FAIL_NONE, NULL },
	{ "data_blocks", "18446744073709551615", FAIL_NONE, NULL },
	{ "data_blocks", "18446744073709551616", FAIL_VERITY_PARAMS_INVALID, "data_blocks=" },
	{ "data_blocks", "0", FAIL_VERITY_PARAMS_INVALID, "data_blocks=0" },
	{ "data_blocks", "", FAIL_VERITY_PARAMS_INVALID, "data_blocks=" },
	{ "data_blocks", "-1", FAIL_VERITY_PARAMS_INVALID, "data_blocks=-1" },
	{ "data_blocks", "0x10", FAIL_VERITY_PARAMS_INVALID, "data_blocks=0x10" },
	{ "hash_start", "0", FAIL_NONE, NULL },
	{ "hash_start", "18446744073709551615", FAIL_NONE, NULL },
	{ "hash_start", "18446744073709551616", FAIL_VERITY_PARAMS_INVALID, "hash_start=" },
	{ "hash_start", "1 ", FAIL_VERITY_PARAMS_INVALID, "hash_start=1" },
	{ "fec_roots", "2", FAIL_NONE, NULL },
	{ "fec_roots", "24", FAIL_NONE, NULL },
	{ "fec_roots", "1", FAIL_VERITY_PARAMS_INVALID, "fec_roots=1 " },
	{ "fec_roots", "25", FAIL_VERITY_PARAMS_INVALID, "fec_roots=25" },
	{ "fec_roots", "0", FAIL_VERITY_PARAMS_INVALID, "fec_roots=0" },
	{ "fec_offset", "0", FAIL_NONE, NULL },
	{ "fec_offset", "9223372036854775807", FAIL_NONE, NULL },
	{ "fec_offset", "9223372036854775808", FAIL_VERITY_PARAMS_INVALID, "fec_offset=" },
	{ "salt", "-", FAIL_NONE, NULL },
	{ "salt", "00", FAIL_NONE, NULL },
	{ "salt", HEX128 HEX128 HEX128 HEX128, FAIL_NONE, NULL }, /* 256 bytes */
	{ "salt", HEX128 HEX128 HEX128 HEX128 "00", FAIL_VERITY_PARAMS_INVALID, "up to 256 bytes" },
	{ "salt", "", FAIL_VERITY_PARAMS_INVALID, "salt=" },
	{ "salt", "0", FAIL_VERITY_PARAMS_INVALID, "salt=" },
	{ "salt", "zz", FAIL_VERITY_PARAMS_INVALID, "salt=" },
	{ "salt", "--", FAIL_VERITY_PARAMS_INVALID, "salt=" },
	/* asked for, and empty */
	{ "root_hash", "", FAIL_ROOT_HASH_MISSING, "is empty" },
	{ "root_hash", HEX64, FAIL_NONE, NULL },
	{ "root_hash", HEX128, FAIL_NONE, NULL },
	{ "root_hash", HEX128 "00", FAIL_ROOT_HASH_INVALID, "130 characters" },
	{ "root_hash", "0", FAIL_ROOT_HASH_INVALID, "holds 1 characters" },
	{ "root_hash", HEX64 "0", FAIL_ROOT_HASH_INVALID, "65 characters" },
	{ "root_hash", HEX32 HEX16 "0123456789abcdeg", FAIL_ROOT_HASH_INVALID, "64 characters" },
	/* a file is no hash */
	{ "root_hash", "/etc/roothash", FAIL_ROOT_HASH_INVALID, "hexadecimal" },
	{ "root_hash", "sha256:" HEX64, FAIL_ROOT_HASH_INVALID, "hexadecimal" },
};

static void test_each_key(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(set_rows); i++) {
		const struct set_row *row = &set_rows[i];
		struct err e = { 0 };
		struct verity_params p;
		char label[400];
		int r;

		verity_params_init(&p);
		r = verity_params_set(&p, row->key, row->value, &e);
		snprintf(label, sizeof(label), "%s=%.300s", row->key, row->value);
		if (row->words)
			expect_failure(label, r, &e, row->code, row->words);
		else
			expect_success(label, r, &e);
		assert_int_equal(verity_params_set(&p, row->key, row->value, NULL), r);
	}
}

static void test_foreign_keys_are_not_taken(void **state)
{
	static const char *const keys[] = { "",     "hash_device", "fec_device", "fstype", "Hash",
					    "root", "root_hash ",  "data_block", "opt" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		struct verity_params p;
		struct err e = { 0 };

		verity_params_init(&p);
		assert_int_equal(verity_params_set(&p, keys[i], "1", &e), -ENOENT);
		assert_int_equal(e.code, FAIL_NONE);
		assert_string_equal(e.text, "");
	}
}

static void set(struct verity_params *p, const char *key, const char *value)
{
	struct err e = { 0 };

	expect_success(key, verity_params_set(p, key, value, &e), &e);
}

static void test_values_go_where_they_belong(void **state)
{
	struct verity_params p;

	(void)state;
	verity_params_init(&p);
	assert_string_equal(p.hash_name, "sha256");
	assert_int_equal(p.hash_type, 1);
	assert_int_equal(p.data_block_size, 4096);
	assert_int_equal(p.hash_block_size, 4096);
	assert_int_equal(p.data_blocks, 0);
	assert_int_equal(p.root_hash_size, 0);
	assert_int_equal(p.salt_size, 0);
	assert_false(p.hash_start_given);
	set(&p, "hash", "sha512");
	set(&p, "format", "0");
	set(&p, "data_block_size", "512");
	set(&p, "hash_block_size", "1024");
	set(&p, "data_blocks", "4294967297");
	set(&p, "hash_start", "0");
	set(&p, "fec_roots", "3");
	set(&p, "fec_offset", "4294967296");
	set(&p, "salt", "00FF");
	set(&p, "root_hash", "0aB1");
	assert_string_equal(p.hash_name, "sha512");
	assert_int_equal(p.hash_type, 0);
	assert_int_equal(p.data_block_size, 512);
	assert_int_equal(p.hash_block_size, 1024);
	assert_int_equal(p.data_blocks, 4294967297ULL);
	assert_int_equal(p.hash_start_block, 0);
	assert_true(p.hash_start_given);
	assert_int_equal(p.fec_roots, 3);
	assert_int_equal(p.fec_start_bytes, 4294967296ULL);
	assert_int_equal(p.salt_size, 2);
	assert_memory_equal(p.salt, "\x00\xff", 2);
	assert_int_equal(p.root_hash_size, 2);
	assert_memory_equal(p.root_hash, "\x0a\xb1", 2);
	set(&p, "salt", "-");
	assert_int_equal(p.salt_size, 0);
}

/*
 * Sizes of the files that "veritysetup format --no-superblock" wrote, in hash
 * blocks; the levels, and the rows too large for that, from repeated division
 * by the digests that a block holds.
 */
static const struct geometry_row {
	const char *hash;
	uint32_t data_block_size, hash_block_size;
	uint64_t data_blocks;
	uint32_t levels;
	uint64_t tree_blocks;
} geometry_rows[] = {
	{ "sha256", 4096, 4096, 1, 0, 0 },
	{ "sha256", 4096, 4096, 2, 1, 1 },
	{ "sha256", 4096, 4096, 127, 1, 1 },
	{ "sha256", 4096, 4096, 128, 1, 1 },
	{ "sha256", 4096, 4096, 129, 2, 3 },
	{ "sha256", 4096, 4096, 16384, 2, 129 },
	{ "sha256", 4096, 4096, 16385, 3, 132 },
	{ "sha256", 512, 4096, 1038, 2, 10 }, /* blocks of a tar */
	{ "sha256", 512, 4096, 2361, 2, 20 },
	{ "sha256", 4096, 4096, 21721, 3, 173 },
	{ "sha256", 4096, 4096, 92041, 3, 727 },
	{ "sha256", 512, 512, 16, 1, 1 },
	{ "sha256", 512, 512, 17, 2, 3 },
	{ "sha256", 512, 512, 257, 3, 20 },
	{ "sha256", 512, 512, 4097, 4, 277 },
	{ "sha512", 512, 512, 8, 1, 1 },
	{ "sha512", 512, 512, 9, 2, 3 },
	{ "sha512", 512, 512, 65, 3, 12 },
	{ "sha512", 512, 512, 513, 4, 77 },
	{ "sha512", 4096, 4096, 64, 1, 1 },
	{ "sha512", 4096, 4096, 65, 2, 3 },
	{ "sha512", 4096, 4096, 4097, 3, 68 },
	/* 48-byte digests stand in slots of 64 */
	{ "sha384", 4096, 4096, 64, 1, 1 },
	{ "sha384", 4096, 4096, 65, 2, 3 },
	{ "sha384", 4096, 4096, 4097, 3, 68 },
	{ "sha256", 4096, 1024, 1025, 3, 36 },
	{ "sha256", 1024, 4096, 1025, 2, 10 },
	{ "sha256", 4096, 4096, 524289, 3, 4131 }, /* 2 GiB + 4 KiB */
	{ "sha256", 4096, 4096, 4294967297, 5, 33818645 },
	{ "sha256", 512, 512, 1ULL << 50, 13, 75059993789509 },
	{ "sha512", 512, 512, 1ULL << 53, 18, 1286742750677285 },
	{ "sha256", 4096, 4096, (1ULL << 51) - 1, 8, 17730707194373 },
	{ "sha256", 524288, 524288, 1ULL << 40, 3, 67112961 },
};

static void test_geometry(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(geometry_rows); i++) {
		const struct geometry_row *row = &geometry_rows[i];
		struct verity_geometry g;
		struct verity_params p;
		struct err e = { 0 };

		verity_params_init(&p);
		strcpy(p.hash_name, row->hash);
		p.data_block_size = row->data_block_size;
		p.hash_block_size = row->hash_block_size;
		p.data_blocks = row->data_blocks;
		for (uint64_t start = 0; start <= 130; start += 65) {
			p.hash_start_block = start;
			expect_success(row->hash, verity_geometry(&p, &g, &e), &e);
			assert_int_equal(g.levels, row->levels);
			assert_int_equal(g.tree_blocks, row->tree_blocks);
			assert_int_equal(g.data_bytes, row->data_blocks * row->data_block_size);
			assert_int_equal(g.hash_end_bytes,
					 (start + row->tree_blocks) * row->hash_block_size);
		}
		assert_true(g.levels <= VERITY_LEVELS_MAX);
	}
}

/*
 * Whole sets. root is a root hash; start UINT64_MAX: not given. words NULL: it
 * is right, and the tree starts at expected_start.
 */
#define NOT_GIVEN UINT64_MAX
#define RIGHT     FAIL_NONE, NULL
#define WRONG     FAIL_VERITY_PARAMS_INVALID
#define TOO_LARGE FAIL_VERITY_PARAMS_INVALID, "exceed 2^63 bytes"
static const struct finish_row {
	const char *label;
	const char *hash, *root;
	uint32_t data_block_size, hash_block_size;
	uint64_t data_blocks, start;
	bool same_device;
	uint32_t fec_roots;
	uint64_t fec_offset;
	uint64_t expected_start;
	enum fail_code code;
	const char *words;
} finish_rows[] = {
	{ "derived", "sha256", HEX64, 4096, 4096, 100, NOT_GIVEN, true, 0, 0, 101, RIGHT },
	{ "derived, one block", "sha256", HEX64, 4096, 4096, 1, NOT_GIVEN, true, 0, 0, 2, RIGHT },
	{ "derived, one small block", "sha256", HEX64, 512, 4096, 1, NOT_GIVEN, true, 0, 0, 1,
	  RIGHT },
	{ "derived, 8 small blocks", "sha256", HEX64, 512, 4096, 8, NOT_GIVEN, true, 0, 0, 2,
	  RIGHT },
	{ "derived, 9 small blocks", "sha256", HEX64, 512, 4096, 9, NOT_GIVEN, true, 0, 0, 2,
	  RIGHT },
	{ "derived, small hash blocks", "sha256", HEX64, 4096, 512, 3, NOT_GIVEN, true, 0, 0, 25,
	  RIGHT },
	{ "given, 1038 blocks", "sha256", HEX64, 512, 4096, 1038, 130, true, 0, 0, 130, RIGHT },
	{ "given, 2361 blocks", "sha256", HEX64, 512, 4096, 2361, 296, true, 0, 0, 296, RIGHT },
	{ "given, inside of the data", "sha256", HEX64, 512, 4096, 1038, 129, true, 0, 0, 0, WRONG,
	  "at block 129 is inside the data" },
	{ "given, right behind", "sha256", HEX64, 4096, 4096, 21721, 21721, true, 0, 0, 21721,
	  RIGHT },
	{ "given, one too early", "sha256", HEX64, 4096, 4096, 21721, 21720, true, 0, 0, 0, WRONG,
	  "at block 21720 is inside" },
	{ "start 0 on the same device", "sha256", HEX64, 4096, 4096, 1, 0, true, 0, 0, 0, WRONG,
	  "is inside" },
	{ "start 0 on its own device", "sha256", HEX64, 4096, 4096, 100, 0, false, 0, 0, 0, RIGHT },
	{ "start 1 on its own device", "sha256", HEX64, 4096, 4096, 100, 1, false, 0, 0, 1, RIGHT },
	{ "no start on its own device", "sha256", HEX64, 4096, 4096, 100, NOT_GIVEN, false, 0, 0, 0,
	  WRONG, "no hash_start= is given" },
	{ "derived, 2 GiB", "sha256", HEX64, 4096, 4096, 524289, NOT_GIVEN, true, 0, 0, 524290,
	  RIGHT },
	{ "sha384", "sha384", HEX64 HEX32, 4096, 4096, 100, NOT_GIVEN, true, 0, 0, 101, RIGHT },
	{ "sha512", "sha512", HEX128, 4096, 4096, 100, NOT_GIVEN, true, 0, 0, 101, RIGHT },
	/* no hash, or one that is too short or too long */
	{ "no root hash", "sha256", NULL, 4096, 4096, 100, NOT_GIVEN, true, 0, 0, 0,
	  FAIL_ROOT_HASH_MISSING, "no root_hash= is given" },
	{ "sha256, short", "sha256", HEX32 HEX16 "0123456789abcd", 4096, 4096, 100, NOT_GIVEN, true,
	  0, 0, 0, FAIL_ROOT_HASH_INVALID, "root_hash= has 31 bytes, but sha256 has 32" },
	{ "sha256, long", "sha256", HEX64 "00", 4096, 4096, 100, NOT_GIVEN, true, 0, 0, 0,
	  FAIL_ROOT_HASH_INVALID, "has 33 bytes" },
	{ "sha512 with a root of sha256", "sha512", HEX64, 4096, 4096, 100, NOT_GIVEN, true, 0, 0,
	  0, FAIL_ROOT_HASH_INVALID, "sha512 has 64" },
	{ "sha256 with a root of sha512", "sha256", HEX128, 4096, 4096, 100, NOT_GIVEN, true, 0, 0,
	  0, FAIL_ROOT_HASH_INVALID, "has 64 bytes" },
	{ "no data_blocks", "sha256", HEX64, 4096, 4096, 0, NOT_GIVEN, true, 0, 0, 0, WRONG,
	  "no data_blocks= is given" },
	/* FEC: the kernel wants equal block sizes and counts the offset in blocks */
	{ "fec", "sha256", HEX64, 4096, 4096, 100, NOT_GIVEN, true, 2, 0, 101, RIGHT },
	{ "fec, offset", "sha256", HEX64, 4096, 4096, 100, NOT_GIVEN, true, 24, 413696, 101,
	  RIGHT },
	{ "fec offset alone", "sha256", HEX64, 4096, 4096, 100, NOT_GIVEN, true, 0, 4096, 0, WRONG,
	  "fec_offset= is given without fec_roots=" },
	{ "fec, half a block", "sha256", HEX64, 4096, 4096, 100, NOT_GIVEN, true, 2, 413696 + 2048,
	  0, WRONG, "fec_offset=415744 is not a whole number of blocks" },
	{ "fec, two block sizes", "sha256", HEX64, 512, 4096, 8, NOT_GIVEN, true, 2, 0, 0, WRONG,
	  "equal block sizes" },
	/* nothing wraps around: 2^63 bytes are one too many */
	{ "last data block", "sha256", HEX64, 4096, 4096, (1ULL << 51) - 1, 0, false, 0, 0, 0,
	  RIGHT },
	{ "data of 2^63 bytes", "sha256", HEX64, 4096, 4096, 1ULL << 51, 0, false, 0, 0, 0,
	  TOO_LARGE },
	{ "data of 2^64 bytes", "sha256", HEX64, 4096, 4096, 1ULL << 52, 0, false, 0, 0, 0,
	  TOO_LARGE },
	{ "data of 2^64 + 4096 bytes", "sha256", HEX64, 4096, 4096, (1ULL << 52) + 1, NOT_GIVEN,
	  true, 0, 0, 0, TOO_LARGE },
	{ "all the blocks there are", "sha256", HEX64, 512, 512, UINT64_MAX, 0, false, 0, 0, 0,
	  TOO_LARGE },
	{ "data fits, tree behind it does not", "sha256", HEX64, 4096, 4096, (1ULL << 51) - 1,
	  NOT_GIVEN, true, 0, 0, 0, TOO_LARGE },
	{ "tree ends at 2^63", "sha256", HEX64, 4096, 4096, 2, (1ULL << 51) - 1, false, 0, 0, 0,
	  TOO_LARGE },
	{ "tree ends below 2^63", "sha256", HEX64, 4096, 4096, 2, (1ULL << 51) - 2, false, 0, 0,
	  (1ULL << 51) - 2, RIGHT },
	{ "start wraps to 0", "sha256", HEX64, 4096, 4096, 2, 1ULL << 52, true, 0, 0, 0,
	  TOO_LARGE },
	{ "start and tree wrap", "sha256", HEX64, 4096, 4096, 129, UINT64_MAX - 2, true, 0, 0, 0,
	  TOO_LARGE },
};

static void test_whole_sets(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(finish_rows); i++) {
		const struct finish_row *row = &finish_rows[i];
		struct err e = { 0 };
		struct verity_params p;
		int r;

		verity_params_init(&p);
		strcpy(p.hash_name, row->hash);
		p.data_block_size = row->data_block_size;
		p.hash_block_size = row->hash_block_size;
		p.data_blocks = row->data_blocks;
		p.fec_roots = row->fec_roots;
		p.fec_start_bytes = row->fec_offset;
		if (row->root)
			set(&p, "root_hash", row->root);
		if (row->start != NOT_GIVEN) {
			p.hash_start_block = row->start;
			p.hash_start_given = true;
		}
		r = verity_params_finish(&p, row->same_device, &e);
		if (row->words) {
			expect_failure(row->label, r, &e, row->code, row->words);
			continue;
		}
		expect_success(row->label, r, &e);
		if (p.hash_start_block != row->expected_start)
			fail_msg("%s: the tree starts at %llu", row->label,
				 (unsigned long long)p.hash_start_block);
	}
}

static void test_digest_sizes(void **state)
{
	(void)state;
	assert_int_equal(verity_digest_size("sha256"), 32);
	assert_int_equal(verity_digest_size("sha384"), 48);
	assert_int_equal(verity_digest_size("sha512"), VERITY_DIGEST_MAX);
	assert_int_equal(verity_digest_size("md5"), 0);
	assert_int_equal(verity_digest_size(""), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_key),
		cmocka_unit_test(test_foreign_keys_are_not_taken),
		cmocka_unit_test(test_values_go_where_they_belong),
		cmocka_unit_test(test_geometry),
		cmocka_unit_test(test_whole_sets),
		cmocka_unit_test(test_digest_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
