/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DISK_EROFS_EROFS_FORMAT_H
#define IMAGE_BUILD_DISK_EROFS_EROFS_FORMAT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "lib/uuid.h"

/*
 * How superblock, inodes and entries of directories look on disk, as far as images of
 * ours have them; all numbers are little-endian. Source: Linux fs/erofs/erofs_fs.h, and
 * Documentation/filesystems/erofs.rst. Pure.
 */
#define EROFS_BLOCK        4096 /* bytes, of images that are written here */
#define EROFS_SLOT         32   /* bytes; a nid counts these from the metadata's first block */
#define EROFS_INODE_BYTES  64
#define EROFS_DIRENT_BYTES 12
#define EROFS_NO_BLOCK     UINT32_MAX /* in the index of a file with holes: a hole */
/*
 * A nid is never 0, which readdir(3) of some libraries takes for a removed file: the
 * metadata begins, in the superblock's words, one block before the first inode.
 */
#define EROFS_FIRST_NID (EROFS_BLOCK / EROFS_SLOT)

/* The block that holds all of the superblock. */
struct erofs_super {
	uint8_t uuid[UUID_SIZE];
	uint16_t root_nid;
	uint64_t inodes;
	uint32_t blocks;
	uint32_t metadata_block; /* what nids are counted from */
	bool chunks;             /* there are files with an index */
	bool filters;            /* attributes have filters */
};

void erofs_encode_super(uint8_t block[EROFS_BLOCK], const struct erofs_super *s);

/* Where an inode's bytes are. */
enum erofs_layout {
	EROFS_PLAIN = 0,  /* in blocks that follow each other */
	EROFS_INLINE = 2, /* the same, but what is less than a block follows the inode */
	EROFS_CHUNKS = 4, /* where the index behind the inode says */
};

struct erofs_inode_fields {
	enum erofs_layout layout;
	mode_t mode; /* with the file type */
	uint32_t uid, gid, links, number;
	int64_t mtime_sec;
	uint32_t mtime_nsec;
	uint64_t size;        /* bytes */
	uint32_t xattr_bytes; /* of the attributes behind the inode, a multiple of 4 */
	uint32_t where; /* first block; a device's erofs_device_number(); erofs_chunk_format() */
};

void erofs_encode_inode(uint8_t at[EROFS_INODE_BYTES], const struct erofs_inode_fields *f);

/* In the kernel's newer form: 12 bits and 20. */
uint32_t erofs_device_number(uint32_t major, uint32_t minor);

/* An index of 4-byte block numbers, one for each 2^chunk_bits bytes; chunk_bits from 12 to 43. */
uint32_t erofs_chunk_format(unsigned int chunk_bits);

/* name_at: bytes from the start of the block of entries. */
void erofs_encode_dirent(uint8_t at[EROFS_DIRENT_BYTES], uint64_t nid, uint16_t name_at,
			 mode_t mode);

#endif
