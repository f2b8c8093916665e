/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DISK_HASH_TREE_H
#define IMAGE_BUILD_DISK_HASH_TREE_H

#include "image-build/base/slice.h"
#include "lib/err.h"
#include "verity/params.h"

/*
 * Hash trees read from an image that holds data and tree, without the kernel.
 * Source: the kernel's verity.rst, "Hash Tree", and verity_position_at_level()
 * in drivers/md/dm-verity-target.c. p needs everything but the root hash.
 */

/* The hash of the tree's top block, which is the root hash if the tree is whole. */
int verity_root(const struct slice *image, struct verity_params *p, struct err *e);

/*
 * Recompute every hash, from p's root hash down. ROOT_HASH_MISMATCH,
 * HASH_TREE_CORRUPT or DATA_CORRUPT, with the first bad block, where one does
 * not match.
 */
int verity_check(const struct slice *image, const struct verity_params *p, struct err *e);

#endif
