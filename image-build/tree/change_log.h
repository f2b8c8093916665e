/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_TREE_CHANGE_LOG_H
#define IMAGE_BUILD_TREE_CHANGE_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "image-build/base/limits.h"
#include "image-build/tree/inode.h"

/* What one entry of a layer's tar does. */
enum change_kind {
	CHANGE_INODE, /* a name gets a new inode */
	CHANGE_LINK,  /* a name gets the inode of another name */
	CHANGE_WHITEOUT,
	CHANGE_OPAQUE,
};

struct change {
	enum change_kind kind;
	const char
		*path; /* cleaned; of a whiteout what it hides, of an opaque mark its directory */
	struct inode *inode; /* held; of the others NULL */
	const char *target;  /* of a link, cleaned; of the others "" */
};

/*
 * The changes of a layer in the tar's order, from when it was read until the layers
 * below it are known. A path is kept as what is not the same at the beginning of the
 * one before it: mostly a name. First all are added, then all are taken, and what was
 * taken needs no memory any more.
 */
struct change_log {
	size_t count; /* of those that were added */
	struct change_block *first, *last;
	size_t taken;                                      /* bytes of the first block */
	char path[LIMIT_PATH + 1], target[LIMIT_PATH + 1]; /* of the last one added, or taken */
};

/* The inode's hold is the log's from now on. */
void change_log_add(struct change_log *log, const struct change *c);

/*
 * The next one, in the order of adding; its texts last until the next call, its inode
 * is the caller's to let go. false behind the last.
 */
bool change_log_take(struct change_log *log, struct change *ret);

/* Whatever is left in it. */
void change_log_free(struct change_log *log);

#endif
