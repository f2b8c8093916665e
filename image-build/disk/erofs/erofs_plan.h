/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DISK_EROFS_EROFS_PLAN_H
#define IMAGE_BUILD_DISK_EROFS_EROFS_PLAN_H

#include "image-build/disk/erofs/erofs_space.h"
#include "image-build/tree/tree.h"
#include "lib/err.h"

/* Where everything goes, before anything is written. */
struct erofs_plan {
	uint32_t data_blocks; /* before the blocks of directories; the first is the superblock's */
	uint32_t own_blocks;  /* of directories and long links */
	uint32_t inode_blocks;
	uint32_t inodes;
	bool chunks, filters;     /* what the superblock has to announce */
	struct erofs_space space; /* for erofs_plan_make() */
};

/* Every inode gets its number and its nid. Fails, naming the file, for what no erofs can hold. */
int erofs_plan_make(const struct tree *t, uint32_t data_blocks, struct erofs_plan *ret,
		    struct err *e);

#endif
