// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/fs/erofs.h"

#include <errno.h>
#include <string.h>

#include "lib/le.h"

#define MAGIC 0xe0f5e1e2

enum {
	AT_MAGIC = 0,
	AT_BLOCK_BITS = 12,
	AT_BLOCKS_HIGH = 14,
	AT_INODES = 16,
	AT_BLOCKS = 36,
	AT_UUID = 48,
	AT_LABEL = 64,
	AT_INCOMPAT = 80,
	AT_ALGORITHMS = 84,
	AT_EXTRA_DEVICES = 86,
	AT_DEVICE_TABLE = 88,
	AT_ROOT_NID_WIDE = 112,
};

/* In an entry of the device table. */
enum {
	AT_DEVICE_TAG = 0,
	AT_DEVICE_BLOCKS = 64,
	AT_DEVICE_START = 68,
	AT_DEVICE_BLOCKS_HIGH = 72,
	AT_DEVICE_START_HIGH = 74,
};

/* As the kernel does: the high half is the root's number where that is not elsewhere. */
static uint64_t count_blocks(const uint8_t *sb, uint32_t incompat)
{
	uint64_t blocks = le_get(sb + AT_BLOCKS, 4);

	if (incompat & EROFS_INCOMPAT_48BIT && le_get(sb + AT_ROOT_NID_WIDE, 8))
		blocks |= le_get(sb + AT_BLOCKS_HIGH, 2) << 32;
	return blocks;
}

static int to_bytes(uint64_t blocks, uint32_t block_size, uint64_t *ret)
{
	return __builtin_mul_overflow(blocks, (uint64_t)block_size, ret) || *ret > INT64_MAX ?
		       -EINVAL :
		       0;
}

int erofs_superblock_read(const uint8_t *start, size_t size, struct erofs_superblock *ret)
{
	const uint8_t *sb = start + EROFS_SUPERBLOCK_OFFSET;
	struct erofs_superblock s = { 0 };

	if (size < EROFS_SUPERBLOCK_OFFSET + EROFS_SUPERBLOCK_SIZE ||
	    le_get(sb + AT_MAGIC, 4) != MAGIC || sb[AT_BLOCK_BITS] < 9 || sb[AT_BLOCK_BITS] > 16)
		return -EINVAL;
	s.block_size = 1U << sb[AT_BLOCK_BITS];
	s.incompat = (uint32_t)le_get(sb + AT_INCOMPAT, 4);
	s.inodes = le_get(sb + AT_INODES, 8);
	s.blocks = count_blocks(sb, s.incompat);
	s.algorithms = (unsigned int)le_get(sb + AT_ALGORITHMS, 2);
	if (s.incompat & EROFS_INCOMPAT_DEVICE_TABLE) {
		s.extra_devices = (unsigned int)le_get(sb + AT_EXTRA_DEVICES, 2);
		s.device_table_bytes = le_get(sb + AT_DEVICE_TABLE, 2) * EROFS_DEVICE_SIZE;
	}
	memcpy(s.uuid, sb + AT_UUID, sizeof(s.uuid));
	memcpy(s.label, sb + AT_LABEL, EROFS_LABEL_SIZE);
	if (!s.blocks || to_bytes(s.blocks, s.block_size, &s.size_bytes))
		return -EINVAL;
	*ret = s;
	return 0;
}

int erofs_device_read(const uint8_t entry[EROFS_DEVICE_SIZE], const struct erofs_superblock *sb,
		      struct erofs_device *ret)
{
	struct erofs_device d = { .blocks = le_get(entry + AT_DEVICE_BLOCKS, 4) };
	uint64_t start = le_get(entry + AT_DEVICE_START, 4), end;

	if (sb->incompat & EROFS_INCOMPAT_48BIT) {
		d.blocks |= le_get(entry + AT_DEVICE_BLOCKS_HIGH, 2) << 32;
		start |= le_get(entry + AT_DEVICE_START_HIGH, 2) << 32;
	}
	end = start + d.blocks;
	if (to_bytes(start, sb->block_size, &d.start_bytes) ||
	    to_bytes(end, sb->block_size, &d.end_bytes))
		return -EINVAL;
	memcpy(d.tag, entry + AT_DEVICE_TAG, EROFS_TAG_SIZE);
	*ret = d;
	return 0;
}
