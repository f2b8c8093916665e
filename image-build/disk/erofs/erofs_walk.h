/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DISK_EROFS_EROFS_WALK_H
#define IMAGE_BUILD_DISK_EROFS_EROFS_WALK_H

#include "image-build/disk/erofs/erofs_dir.h"
#include "image-build/tree/tree.h"
#include "lib/err.h"

/*
 * The order in which inodes stand: a directory, then all in it that are none, then each
 * directory in it with all below. So a path is followed by reading a block for each
 * small directory on it, entries and inodes together, and what lists a directory reads
 * blocks that follow each other. A file with several names comes with each of them.
 */
struct erofs_visitor {
	int (*directory)(const struct erofs_dir *d, void *context, struct err *e);
	int (*other)(const struct node *node, void *context, struct err *e);
	void *context;
};

int erofs_walk(const struct node *top, const struct erofs_visitor *v, struct err *e);

#endif
