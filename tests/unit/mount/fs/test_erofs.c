// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <errno.h>
#include <string.h>

#include "lib/array.h"
#include "mount/fs/erofs.h"

#define START_SIZE (EROFS_SUPERBLOCK_OFFSET + EROFS_SUPERBLOCK_SIZE)

/* Fields of a superblock, by their offsets in the kernel's struct. */
struct field {
	size_t at, size;
	uint64_t value;
};

static void put_le(uint8_t *at, size_t size, uint64_t value)
{
	for (size_t i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static void make_start(uint8_t start[START_SIZE], const struct field *fields, size_t count)
{
	static const struct field usual[] = { { 0, 4, 0xe0f5e1e2 }, { 12, 1, 12 }, { 36, 4, 3 } };

	memset(start, 0, START_SIZE);
	for (size_t i = 0; i < ARRAY_SIZE(usual); i++)
		put_le(start + EROFS_SUPERBLOCK_OFFSET + usual[i].at, usual[i].size,
		       usual[i].value);
	for (size_t i = 0; i < count; i++)
		put_le(start + EROFS_SUPERBLOCK_OFFSET + fields[i].at, fields[i].size,
		       fields[i].value);
}

static void test_block_size(void **state)
{
	uint8_t start[START_SIZE];
	struct erofs_superblock sb;

	(void)state;
	for (unsigned int bits = 0; bits < 256; bits++) {
		make_start(start, &(struct field){ 12, 1, bits }, 1);
		assert_int_equal(erofs_superblock_read(start, sizeof(start), &sb),
				 bits >= 9 && bits <= 16 ? 0 : -EINVAL);
	}
	make_start(start, NULL, 0);
	assert_int_equal(erofs_superblock_read(start, sizeof(start), &sb), 0);
	assert_int_equal(sb.size_bytes, 3 * 4096);
	assert_int_equal(erofs_superblock_read(start, sizeof(start) - 1, &sb), -EINVAL);
	make_start(start, &(struct field){ 36, 4, 0 }, 1);
	assert_int_equal(erofs_superblock_read(start, sizeof(start), &sb), -EINVAL);
}

/* The bits above the 32nd are there only where the root's number is elsewhere. */
static void test_48_bits(void **state)
{
	static const struct {
		struct field fields[4];
		uint64_t blocks; /* 0: refused */
	} rows[] = {
		{ { { 14, 2, 36 }, { 80, 4, EROFS_INCOMPAT_48BIT } }, 3 },
		{ { { 14, 2, 1 }, { 80, 4, EROFS_INCOMPAT_48BIT }, { 112, 8, 36 } },
		  3 + (1ULL << 32) },
		{ { { 14, 2, 1 }, { 112, 8, 36 } }, 3 },
		/* 2^48 blocks of 64 KiB: more bytes than an offset has bits for. */
		{ { { 12, 1, 16 },
		    { 14, 2, 0xffff },
		    { 80, 4, EROFS_INCOMPAT_48BIT },
		    { 112, 8, 36 } },
		  0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint8_t start[START_SIZE];
		struct erofs_superblock sb = { 0 };
		int r;

		make_start(start, rows[i].fields, ARRAY_SIZE(rows[i].fields));
		r = erofs_superblock_read(start, sizeof(start), &sb);
		assert_int_equal(r, rows[i].blocks ? 0 : -EINVAL);
		assert_int_equal(sb.blocks, rows[i].blocks);
	}
}

/* A field ends where the next one begins, however full that one is. */
static void test_widths(void **state)
{
	uint8_t start[START_SIZE];
	struct erofs_superblock sb;

	(void)state;
	memset(start, 0xff, sizeof(start));
	put_le(start + EROFS_SUPERBLOCK_OFFSET, 4, 0xe0f5e1e2);
	start[EROFS_SUPERBLOCK_OFFSET + 12] = 9;
	put_le(start + EROFS_SUPERBLOCK_OFFSET + 14, 2, 0);
	put_le(start + EROFS_SUPERBLOCK_OFFSET + 16, 8, 0x500000006);
	put_le(start + EROFS_SUPERBLOCK_OFFSET + 36, 4, 3);
	put_le(start + EROFS_SUPERBLOCK_OFFSET + 84, 2, 0x102);
	put_le(start + EROFS_SUPERBLOCK_OFFSET + 86, 2, 0x203);
	put_le(start + EROFS_SUPERBLOCK_OFFSET + 88, 2, 0x708);
	assert_int_equal(erofs_superblock_read(start, sizeof(start), &sb), 0);
	assert_int_equal(sb.block_size, 512);
	assert_int_equal(sb.inodes, 0x500000006);
	assert_int_equal(sb.blocks, 3);
	assert_int_equal(sb.algorithms, 0x102);
	assert_int_equal(sb.extra_devices, 0x203);
	assert_int_equal(sb.device_table_bytes, 0x708 * EROFS_DEVICE_SIZE);
}

static void test_devices(void **state)
{
	const struct field fields[] = {
		{ 12, 1, 9 },
		{ 80, 4, EROFS_INCOMPAT_DEVICE_TABLE },
		{ 86, 2, 3 },
		{ 88, 2, 11 },
	};
	uint8_t start[START_SIZE], entry[EROFS_DEVICE_SIZE] = { 0 };
	struct erofs_superblock sb;
	struct erofs_device d;

	(void)state;
	make_start(start, fields, ARRAY_SIZE(fields));
	assert_int_equal(erofs_superblock_read(start, sizeof(start), &sb), 0);
	assert_int_equal(sb.extra_devices, 3);
	assert_int_equal(sb.device_table_bytes, 1408);
	memset(entry, 'a', EROFS_TAG_SIZE);
	put_le(entry + 64, 4, 2500);
	put_le(entry + 68, 4, 2048);
	put_le(entry + 72, 4, 0xffffffff); /* reserved, but with 48 bits */
	assert_int_equal(erofs_device_read(entry, &sb, &d), 0);
	assert_int_equal(strlen(d.tag), EROFS_TAG_SIZE);
	assert_int_equal(d.blocks, 2500);
	assert_int_equal(d.start_bytes, 1048576);
	assert_int_equal(d.end_bytes, 2328576);
	sb.incompat |= EROFS_INCOMPAT_48BIT;
	assert_int_equal(erofs_device_read(entry, &sb, &d), 0);
	assert_int_equal(d.blocks, (0xffffULL << 32) + 2500);
	assert_int_equal(d.start_bytes, ((0xffffULL << 32) + 2048) << 9);
	sb.block_size = 65536;
	assert_int_equal(erofs_device_read(entry, &sb, &d), -EINVAL);

	/* Without its bit the number is another feature's. */
	make_start(start, fields, 1);
	put_le(start + EROFS_SUPERBLOCK_OFFSET + 86, 2, 3);
	assert_int_equal(erofs_superblock_read(start, sizeof(start), &sb), 0);
	assert_int_equal(sb.extra_devices, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_block_size),
		cmocka_unit_test(test_48_bits),
		cmocka_unit_test(test_widths),
		cmocka_unit_test(test_devices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
