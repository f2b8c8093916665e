/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_TREE_RESOLVE_H
#define IMAGE_BUILD_TREE_RESOLVE_H

#include "image-build/tree/layer.h"
#include "lib/err.h"

/*
 * What a layer needs to know of the layers below it. layers[0] is the bottom;
 * those below index are resolved already.
 *
 *  - An implied directory (the root, where it has no entry) takes the
 *    attributes which the layers below show under its path; overlayfs would
 *    show made-up ones otherwise. Where they show something else than a
 *    directory there, the layer is refused: it would hide it. Where they show
 *    nothing: 0755, root, mtime 0.
 *  - A hard link whose target only the layers below have becomes a copy of that
 *    file, content and attributes, as a copy-up would make it; more links to
 *    the same target share the copy. Where they don't have it either, or it is
 *    a directory, the layer is refused.
 */
int resolve_layer(struct layer *layers, size_t index, struct err *e);

#endif
