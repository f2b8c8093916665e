/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_TREE_NAME_H
#define IMAGE_BUILD_TREE_NAME_H

#include "image-build/base/limits.h"
#include "lib/err.h"

/*
 * The one rule for names in a tar, of entries and of hard links' targets:
 * slashes at the beginning, at the end and repeated ones count for nothing, and
 * neither do "." components; a ".." component is refused. What is left are
 * bytes, not text: nothing is decoded, normalised or folded. The root is "".
 */
int name_clean(const char *raw, char ret[LIMIT_PATH + 1], struct err *e);

/* What the last component of a cleaned name says, whatever the entry's type. */
enum name_kind {
	NAME_PLAIN,
	NAME_WHITEOUT, /* ".wh.x": x of the layers below is gone */
	NAME_OPAQUE,   /* ".wh..wh..opq": all of this directory in the layers below is gone */
	NAME_IGNORED, /* any other ".wh..wh.…", AUFS' own bookkeeping, also as a directory above */
	NAME_INVALID, /* ".wh." of nothing, of "." or of "..", or a whiteout used as a directory */
};

/* Source: OCI image-spec, layer.md, "Whiteouts". */
enum name_kind name_kind(const char *path);

/* The name that a whiteout's last component hides. */
const char *name_hidden(const char *component);

#endif
