/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_TREE_VIEW_H
#define IMAGE_BUILD_TREE_VIEW_H

#include <stddef.h>
#include <stdint.h>

#include "image-build/base/limits.h"
#include "image-build/tree/layer.h"

/*
 * What stacked layers show together at one path, resolved layers or half so: whiteouts
 * and opaque directories count, no link is followed. The path goes down and up by one
 * component, so that a walk needs no look-up from the root. The layers must not lose or
 * gain names meanwhile.
 */
struct view {
	const struct layer *layers; /* the bottom first */
	size_t count;
	uint32_t depth; /* components of the path */
	struct view_layer {
		const struct node *node; /* the deepest on the path that this layer has */
		uint32_t depth;          /* the node's */
		uint32_t hides;          /* of the first on the path that hides the layers below */
	} at[LAYERS_MAX];
};

/* Begin with the root of layers[0 … count - 1]. */
void view_open(struct view *v, const struct layer *layers, size_t count);

/* One component more, of size bytes. */
void view_down(struct view *v, const char *name, size_t size);
/* One less; the root is above itself. */
void view_up(struct view *v);

/* What the lowest count layers show there; NULL for nothing. */
const struct node *view_node(const struct view *v, size_t count);

/* What layers[0 … count - 1] show under a cleaned path. */
const struct node *view_of_path(const struct layer *layers, size_t count, const char *path);

#endif
