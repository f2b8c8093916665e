/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DISK_EROFS_IMAGE_H
#define IMAGE_BUILD_DISK_EROFS_IMAGE_H

#include "image-build/tree/tree.h"
#include "lib/err.h"

/*
 * Read a finished erofs back with liberofs, which did not write it, and compare it
 * with the tree: name by name, attribute by attribute, and contents by their checksums.
 * Inodes lose their numbers.
 */
int erofs_check(const struct tree *t, const char *path, struct err *e);

#endif
