/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DISK_EROFS_EROFS_XATTRS_H
#define IMAGE_BUILD_DISK_EROFS_EROFS_XATTRS_H

#include <stdint.h>

#include "image-build/tree/tree.h"
#include "lib/err.h"

/*
 * Extended attributes behind an inode: a header with a filter of names, then name and
 * value of each, the name space as a number. Source: Linux fs/erofs/erofs_fs.h, struct
 * erofs_xattr_ibody_header and erofs_xattr_entry.
 */

/* Bytes that an inode's attributes take, 0 for none. Refused where one has no place. */
int erofs_xattrs_size(const struct inode *inode, uint32_t *ret, struct err *e);

/* So many bytes as erofs_xattrs_size() said, which are zero before. */
void erofs_xattrs_put(const struct inode *inode, uint8_t *at);

#endif
