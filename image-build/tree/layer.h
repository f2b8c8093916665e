/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_TREE_LAYER_H
#define IMAGE_BUILD_TREE_LAYER_H

#include <stdatomic.h>
#include <stdint.h>

#include "image-build/base/blob.h"
#include "image-build/base/spool.h"
#include "image-build/tree/tree.h"
#include "lib/err.h"

/* What one entry of a layer's tar does. */
enum change_kind {
	CHANGE_INODE, /* a name gets a new inode */
	CHANGE_LINK,  /* a name gets the inode of another name */
	CHANGE_WHITEOUT,
	CHANGE_OPAQUE,
};

struct change {
	enum change_kind kind;
	char *path; /* cleaned; of a whiteout what it hides, of an opaque mark its directory */
	struct inode *inode; /* held */
	char *target;        /* of a link, cleaned */
};

/* What a layer holds that is left out of the image: worth a word, but no failure. */
enum layer_note {
	NOTE_GLOBAL_PAX,
	NOTE_ATTRIBUTE,
	NOTE_TEXT_ACL,
	LAYER_NOTES,
};

#define NOTE_SIZE 160

/* How much the files of an image may hold together, holes included. */
struct layer_budget {
	uint64_t max_bytes;
	_Atomic uint64_t bytes;
};

struct layer {
	struct tree tree; /* empty until resolve_layer() */
	struct spool spool;
	struct layer_budget *budget; /* borrowed, shared by an image's layers; NULL: no end */
	size_t change_count, change_room;
	struct change *changes;             /* in the tar's order */
	char notes[LAYER_NOTES][NOTE_SIZE]; /* "" or the first of its kind, as a sentence */
};

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
 * The descriptor of l->spool is open; the caller frees l with layer_free() in
 * every case.
 */
int layer_read(struct layer *l, struct blob *b, struct err *e);

void layer_init(struct layer *l);
void layer_free(struct layer *l);
/* They have been used up. */
void layer_free_changes(struct layer *l);

#endif
