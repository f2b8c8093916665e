/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_TREE_FOLLOW_H
#define IMAGE_BUILD_TREE_FOLLOW_H

#include <stdbool.h>

#include "image-build/base/limits.h"
#include "image-build/tree/layer.h"
#include "lib/err.h"

/*
 * Where a cleaned path leads in what layers[0 … index] show, the last of them
 * being under construction: symbolic links are followed to the last component
 * inclusive, as in a chroot, and what is not there counts as a directory to be.
 * *ret_linked tells whether a link was on the way.
 */
int follow_links(const struct layer *layers, size_t index, const char *path,
		 char ret[LIMIT_PATH + 1], bool *ret_linked, struct err *e);

#endif
