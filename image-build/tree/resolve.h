/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_TREE_RESOLVE_H
#define IMAGE_BUILD_TREE_RESOLVE_H

#include "image-build/tree/layer.h"
#include "lib/err.h"

/*
 * Make a layer's tree of its changes, which are used up, and of what the layers
 * below it show. layers[0] is the bottom; those below index are resolved already.
 * The changes are made one after the other, as unpacking over the layers below
 * would make them:
 *
 *  - The directory that a name stands in is found through symbolic links, of
 *    this layer and of those below, ".." and absolute targets staying inside of
 *    the image. What stands below another kind of file is refused.
 *  - A whiteout is about the layers below, so what this layer has under that
 *    name stays; a directory then becomes opaque. Below a directory that is
 *    nowhere, behind a link, it does nothing.
 *  - A later entry replaces an earlier one of the same name with all below it,
 *    but a directory over a directory only sets its attributes. What stands in
 *    the place of a directory hides what the layers below have there, also once
 *    it is a directory again.
 *  - A hard link binds to the inode that its target has when the link is read;
 *    one to itself does nothing. Where only the layers below have the target, it
 *    becomes a copy of that file, content and attributes, as a copy-up would
 *    make it; more links to the same file share the copy. Where nobody has it,
 *    or it is a directory, the layer is refused.
 *  - Directories without an entry, the root as well, take the attributes that
 *    the layers below show under their path; overlayfs would show made-up ones
 *    otherwise. Where they show something else than a directory there, the layer
 *    is refused: it would hide it. Where they show nothing: 0755, root, mtime 0.
 */
int resolve_layer(struct layer *layers, size_t index, struct err *e);

#endif
