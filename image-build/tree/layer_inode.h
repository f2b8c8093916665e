/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_TREE_LAYER_INODE_H
#define IMAGE_BUILD_TREE_LAYER_INODE_H

#include "image-build/tree/layer.h"
#include "image-build/tree/tar_read.h"

/* The inode that a tar's entry describes, content included, held; not of a hard link. */
int layer_read_inode(struct layer *l, struct tar_reader *t, const struct tar_entry *entry,
		     struct inode **ret, struct err *e);

#endif
