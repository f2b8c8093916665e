/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_TREE_BELOW_H
#define IMAGE_BUILD_TREE_BELOW_H

#include "image-build/tree/layer.h"

/*
 * What layers[0 … index - 1] show together under a cleaned path, no link of it
 * followed: whiteouts and opaque directories count, resolved or half so. NULL
 * for nothing.
 */
const struct node *look_below(const struct layer *layers, size_t index, const char *path);

#endif
