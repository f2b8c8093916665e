// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/fs/erofs.h"

#include <errno.h>
#include <string.h>

#include "lib/le.h"

#define MAGIC 0xe0f5e1e2

enum {
	AT_MAGIC = 0,
	AT_BLOCK_BITS = 12,
	AT_INODES = 16,
	AT_BLOCKS = 36,
	AT_UUID = 48,
	AT_INCOMPAT = 80,
	AT_ALGORITHMS = 84,
};

int erofs_superblock_read(const uint8_t *start, size_t size, struct erofs_superblock *ret)
{
	const uint8_t *sb = start + EROFS_SUPERBLOCK_OFFSET;
	struct erofs_superblock s;

	if (size < EROFS_SUPERBLOCK_OFFSET + EROFS_SUPERBLOCK_SIZE ||
	    le_get(sb + AT_MAGIC, 4) != MAGIC || sb[AT_BLOCK_BITS] < 9 || sb[AT_BLOCK_BITS] > 16)
		return -EINVAL;
	s.block_size = 1U << sb[AT_BLOCK_BITS];
	s.incompat = (uint32_t)le_get(sb + AT_INCOMPAT, 4);
	s.inodes = le_get(sb + AT_INODES, 8);
	s.blocks = le_get(sb + AT_BLOCKS, 4);
	s.size_bytes = s.blocks * s.block_size;
	s.algorithms = (unsigned int)le_get(sb + AT_ALGORITHMS, 2);
	memcpy(s.uuid, sb + AT_UUID, sizeof(s.uuid));
	if (!s.blocks)
		return -EINVAL;
	*ret = s;
	return 0;
}
