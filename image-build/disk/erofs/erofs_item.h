/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DISK_EROFS_EROFS_ITEM_H
#define IMAGE_BUILD_DISK_EROFS_EROFS_ITEM_H

#include "image-build/disk/erofs/erofs_dir.h"
#include "image-build/disk/erofs/erofs_file.h"
#include "image-build/disk/erofs/erofs_format.h"
#include "lib/err.h"

/*
 * An inode and all that belongs to it, measured: attributes follow the inode, then the
 * index of chunks or the tail. Pure.
 */
struct erofs_item {
	struct erofs_inode_fields fields; /* where: still 0 for what has blocks of its own */
	uint32_t tail;                    /* bytes behind the inode that must stay in one block */
	uint64_t chunks;                  /* entries of an index behind it, of 4 bytes */
	unsigned int chunk_bits;
	uint32_t blocks; /* of its own: of a directory, or of a link that is too long for a tail */
};

/* Bytes of inode, attributes and index. */
uint64_t erofs_item_fixed(const struct erofs_item *item);

int erofs_item_directory(const struct erofs_dir *d, struct erofs_item *ret, struct err *e);

/* Anything else; contents stand in blocks from 1 to data_blocks. */
int erofs_item_other(const struct inode *inode, uint32_t data_blocks, struct erofs_item *ret,
		     struct err *e);

#endif
