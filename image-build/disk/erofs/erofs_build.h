/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DISK_EROFS_EROFS_BUILD_H
#define IMAGE_BUILD_DISK_EROFS_EROFS_BUILD_H

#include <stdint.h>

#include "image-build/tree/tree.h"
#include "lib/err.h"
#include "lib/uuid.h"

/*
 * Make an erofs of a file that holds the contents of a tree's regular files already,
 * by writing what belongs around them:
 *
 *	0		the superblock, in a block of its own
 *	4096		contents, as their store has them (image-build/base/store.h)
 *	data_end	the blocks of directories that are larger than one
 *			inodes, the root first, then directory by directory: each with what
 *			follows it (attributes, the end of a directory or file, a link's
 *			target, the index of a file with holes)
 *
 * Blocks have 4096 bytes whatever the page size here is; nothing is compressed; inodes
 * have the 64 bytes that keep times. The same tree over the same contents gives the
 * same bytes. Memory is a few megabytes, whatever the tree has.
 *
 * The tree as it is to be seen (see overlay_encode()), every node with an inode. The
 * blocks of its contents are the file's, what is kept apart of them has at most
 * EROFS_TAIL_MAX bytes (erofs_space.h), and stores are flushed.
 * data_end is a multiple of 4096 and at least that; what stands in fd from there on, and
 * in its first 4096 bytes, is overwritten. Inodes get their number (from 1, in the order
 * in which they stand) and their nid. ret_size: bytes of the whole image, a multiple of
 * 4096; what the file has behind them stays.
 */
int erofs_build(const struct tree *t, int fd, uint64_t data_end, const uint8_t uuid[UUID_SIZE],
		uint64_t *ret_size, struct err *e);

#endif
