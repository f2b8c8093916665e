/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_TREE_RESOLVE_IMPLIED_H
#define IMAGE_BUILD_TREE_RESOLVE_IMPLIED_H

#include "image-build/tree/layer.h"
#include "lib/err.h"

/*
 * The directories of layers[index] that no entry describes: what they are then, says
 * image-build/tree/resolve.h. The names of the layer are all there.
 */
int resolve_implied(struct layer *layers, size_t index, struct err *e);

#endif
