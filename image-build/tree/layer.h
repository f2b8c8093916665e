/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_TREE_LAYER_H
#define IMAGE_BUILD_TREE_LAYER_H

#include "image-build/base/blob.h"
#include "image-build/base/spool.h"
#include "image-build/tree/tree.h"
#include "lib/err.h"

/* A hard link whose target this layer does not have: the layers below must. */
struct dangling_link {
	struct node *node; /* the new name, without an inode so far */
	char *target;      /* cleaned */
};

struct layer {
	struct tree tree;
	struct spool spool;
	size_t link_count, link_room;
	struct dangling_link *links;
};

/*
 * Read one layer's tar to its end. What the rules are:
 *
 *  - names: image-build/tree/name.h. The root may have an entry.
 *  - a whiteout is known by its name, whatever its type or link target. It is
 *    about the layers below, so what this layer has under that name stays; a
 *    directory then becomes opaque.
 *  - a later entry replaces an earlier one of the same name with all below it,
 *    but a directory over a directory only sets its attributes.
 *  - an entry below something that is not a directory is refused.
 *  - a hard link binds to the inode that its target has when the link is read;
 *    one to itself does nothing.
 *  - directories without an entry are made up and marked as implied.
 *  - a character device 0:0 is a whiteout, as overlayfs has it.
 *  - of overlayfs' own attributes, trusted. or user., overlay.opaque=y on a
 *    directory makes it opaque; overlay.redirect, .metacopy and .whiteout(s)
 *    are refused since they mean content that the tar does not carry; the rest
 *    is bookkeeping and dropped.
 *  - extended attributes outside of user., trusted., security. and the two of
 *    system.posix_acl_ cannot be kept and are refused.
 *  - the tar ends with its first block of zeroes or with its last byte; only
 *    zeroes may follow.
 *
 * The descriptor of l->spool is open; the caller frees l with layer_free() in
 * every case.
 */
int layer_read(struct layer *l, struct blob *b, struct err *e);

void layer_init(struct layer *l);
void layer_free(struct layer *l);

#endif
