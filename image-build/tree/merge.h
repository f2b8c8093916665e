/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_TREE_MERGE_H
#define IMAGE_BUILD_TREE_MERGE_H

#include "image-build/tree/layer.h"

/*
 * Apply layers[1 … count - 1] to layers[0], one after another, as overlayfs
 * would show them: a whiteout removes, an opaque directory removes what the
 * layers below have in it, a directory over a directory takes its attributes,
 * anything else replaces. Hard links stay links: inodes move, they are not
 * copied. Afterwards layers[0].tree is the merged tree without whiteouts and
 * opaque marks; the others' trees are used up, their stores are still needed.
 * The layers must be resolved: see image-build/tree/resolve.h.
 */
void merge_layers(struct layer *layers, size_t count);

#endif
