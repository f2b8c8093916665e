/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_TREE_WHITEOUTS_H
#define IMAGE_BUILD_TREE_WHITEOUTS_H

#include <stdbool.h>

#include "image-build/tree/tree.h"
#include "lib/err.h"

/*
 * How a deletion looks to overlayfs. Source: the kernel's
 * Documentation/filesystems/overlayfs.rst, "whiteouts and opaque directories".
 */

/* A character device 0:0. */
bool overlay_is_whiteout(const struct inode *inode);

/* What becomes of an attribute of a tar, by its name: see layer.h. */
enum xattr_fate {
	XATTR_KEPT,
	XATTR_OVERLAY, /* overlayfs' own: overlay_take_xattr() */
	XATTR_FOREIGN, /* of a name space that Linux does not have */
	XATTR_REFUSED,
};

enum xattr_fate overlay_xattr(const char *name);

/* Understand one of overlayfs' own, drop it or refuse it. */
int overlay_take_xattr(struct inode *inode, const char *name, const void *value, size_t size,
		       struct err *e);

/*
 * Give a layer's tree the form that overlayfs reads, for an image of this layer
 * alone:
 *
 *  - a whiteout becomes a character device 0:0; under a name that the layer
 *    also adds as a directory it makes that directory opaque, under any other
 *    added name it is void, and so it is inside of an opaque directory;
 *  - an opaque directory gets trusted.overlay.opaque=y, and only that variant;
 *  - a directory with whiteouts gets an empty trusted.overlay.origin. Without
 *    it overlayfs lists a directory that only one layer has as it is, and would
 *    show the devices (kernel commit b79e05aaa166).
 */
void overlay_encode(struct tree *t);

/* The same rules where only the whiteouts' meaning matters, for merging. */
void overlay_settle(struct tree *t);

/* A tree with nothing below it, as the bottom layer and a merged image are: no marks at all. */
void overlay_drop_marks(struct tree *t);

#endif
