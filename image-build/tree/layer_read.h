/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_TREE_LAYER_READ_H
#define IMAGE_BUILD_TREE_LAYER_READ_H

#include "image-build/base/blob.h"
#include "image-build/tree/layer.h"

/*
 * Read one layer's tar to its end (see image-build/tree/tar_read.h) into a list
 * of changes; image-build/tree/resolve.h makes a tree of them. What the rules are:
 *
 *  - names: image-build/tree/name.h. The root may have an entry.
 *  - a whiteout is known by its name, whatever its type or link target.
 *  - a character device 0:0 is refused: under overlayfs it cannot be content.
 *  - of overlayfs' own attributes, trusted.overlay.opaque=y on a directory makes
 *    it opaque; redirect, metacopy and whiteout(s) are refused since they mean
 *    content that the tar does not carry; the rest is bookkeeping and dropped.
 *    user.overlay. is nothing of overlayfs' where it runs without userxattr, as
 *    in the guest: kept like any other.
 *  - attributes of user., trusted., security. and the two of system.posix_acl_
 *    are kept, others of Linux' name spaces refused, those of other systems'
 *    (com.apple.) dropped with a note. Access lists as text and libarchive's
 *    own records are dropped with a note where no such attribute stands beside
 *    them, as Docker drops them.
 *  - entries of types that are no files are refused by name; of a global pax
 *    header a note is taken.
 *
 * l->store is open; the caller frees l with layer_free() in
 * every case.
 */
int layer_read(struct layer *l, struct blob *b, struct err *e);

#endif
