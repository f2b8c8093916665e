// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/disk/erofs/erofs_format.h"

#include <string.h>

#include "lib/crc32c.h"
#include "lib/le.h"
#include "mount/fs/erofs.h"

#define MAGIC           0xe0f5e1e2
#define COMPAT_CHECKSUM 0x1
#define COMPAT_MTIME    0x2 /* times are of the last change, not of the inode's */
#define COMPAT_FILTERS  0x4
#define INCOMPAT_CHUNKS 0x4

#define BLOCK_BITS 12
#define EXTENDED   1 /* an inode of 64 bytes, in the lowest bit of its format */

void erofs_encode_super(uint8_t block[EROFS_BLOCK], const struct erofs_super *s)
{
	uint8_t *at = block + EROFS_SUPERBLOCK_OFFSET;
	uint32_t compat = COMPAT_CHECKSUM | COMPAT_MTIME | (s->filters ? COMPAT_FILTERS : 0);

	memset(block, 0, EROFS_BLOCK);
	le_put(at, 4, MAGIC);
	le_put(at + 8, 4, compat);
	at[12] = BLOCK_BITS;
	le_put(at + 14, 2, s->root_nid);
	le_put(at + 16, 8, s->inodes);
	le_put(at + 36, 4, s->blocks);
	le_put(at + 40, 4, s->metadata_block);
	memcpy(at + 48, s->uuid, UUID_SIZE);
	le_put(at + 80, 4, s->chunks ? INCOMPAT_CHUNKS : 0);
	/* Over the rest of the block, the checksum's own field still zero. */
	le_put(at + 4, 4, crc32c_of(~0U, at, EROFS_BLOCK - EROFS_SUPERBLOCK_OFFSET));
}

/* Attributes are counted in words of 4 bytes, their header of 12 as one of them. */
static uint16_t xattr_count(uint32_t bytes)
{
	return bytes ? (uint16_t)((bytes - 12) / 4 + 1) : 0;
}

void erofs_encode_inode(uint8_t at[EROFS_INODE_BYTES], const struct erofs_inode_fields *f)
{
	memset(at, 0, EROFS_INODE_BYTES);
	le_put(at, 2, EXTENDED | (unsigned int)f->layout << 1);
	le_put(at + 2, 2, xattr_count(f->xattr_bytes));
	le_put(at + 4, 2, f->mode);
	le_put(at + 8, 8, f->size);
	le_put(at + 16, 4, f->where);
	le_put(at + 20, 4, f->number);
	le_put(at + 24, 4, f->uid);
	le_put(at + 28, 4, f->gid);
	le_put(at + 32, 8, (uint64_t)f->mtime_sec);
	le_put(at + 40, 4, f->mtime_nsec);
	le_put(at + 44, 4, f->links);
}

uint32_t erofs_device_number(uint32_t major, uint32_t minor)
{
	return (minor & 0xff) | major << 8 | (minor & ~0xffU) << 12;
}

uint32_t erofs_chunk_format(unsigned int chunk_bits)
{
	return chunk_bits - BLOCK_BITS;
}

/* The type of a directory's entry. */
static uint8_t entry_type(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return 1;
	case S_IFDIR:
		return 2;
	case S_IFCHR:
		return 3;
	case S_IFBLK:
		return 4;
	case S_IFIFO:
		return 5;
	case S_IFSOCK:
		return 6;
	case S_IFLNK:
		return 7;
	default:
		return 0;
	}
}

void erofs_encode_dirent(uint8_t at[EROFS_DIRENT_BYTES], uint64_t nid, uint16_t name_at,
			 mode_t mode)
{
	le_put(at, 8, nid);
	le_put(at + 8, 2, name_at);
	at[10] = entry_type(mode);
	at[11] = 0;
}
