/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_TREE_TAR_WRITE_H
#define IMAGE_BUILD_TREE_TAR_WRITE_H

#include <stdatomic.h>
#include <stdint.h>

#include "image-build/base/digest.h"
#include "image-build/tree/tree.h"
#include "lib/err.h"

/*
 * The canonical tar of a tree, the only tar that liberofs ever sees: parents
 * first, names ascending by their bytes, "./" first of all, every name once,
 * everything that a header cannot hold in a pax header, two blocks of zeroes.
 * One tree has one canonical tar, so its sha256 names the tree.
 *
 * Every node must have an inode: see overlay_encode(). Numbers the inodes from
 * 1 in the order of writing. progress gets the bytes written; it may be NULL.
 */
int tar_write(const struct tree *t, int fd, struct digest *ret, _Atomic uint64_t *progress,
	      struct err *e);

/* How long that tar is, for progress. */
uint64_t tar_size_estimate(const struct tree *t);

#endif
