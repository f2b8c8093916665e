/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DISK_EROFS_EROFS_DIR_H
#define IMAGE_BUILD_DISK_EROFS_EROFS_DIR_H

#include <stddef.h>
#include <stdint.h>

#include "image-build/tree/tree.h"
#include "lib/err.h"

/*
 * The content of a directory: blocks of entries, ascending by the bytes of their names,
 * "." and ".." among them. A block has its entries first, then their names without
 * anything between; how many entries there are is where the first name begins, and the
 * last name ends with the block or at a NUL. Source: Linux fs/erofs/namei.c and dir.c.
 */
struct erofs_dir {
	const struct node *node;
	struct node *const *children; /* ascending; the node's own */
	size_t count;                 /* of entries, the two included */
	size_t self, parent;          /* which of them "." and ".." are */
};

void erofs_dir_open(struct erofs_dir *d, const struct node *node);

/* Bytes of all its blocks, the last as long as what is in it. Refused for a name too long. */
int erofs_dir_size(const struct erofs_dir *d, uint64_t *ret, struct err *e);

/*
 * The block that begins with entry first, in bytes that are zero before; ret_bytes of
 * them are used. Inodes have their nids. Returns the entry that the next one begins with.
 */
size_t erofs_dir_block(const struct erofs_dir *d, size_t first, uint8_t *at, size_t *ret_bytes);

#endif
