/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DISK_CONTENTS_H
#define IMAGE_BUILD_DISK_CONTENTS_H

#include <stdbool.h>

#include "image-build/base/store.h"
#include "image-build/tree/tree.h"
#include "lib/err.h"

/*
 * Bring everything that the files of a tree hold into one store, without gaps: first
 * what is there already, then what stands in other stores, in the order of those in
 * memory and of their blocks. What nothing refers to any more is overwritten; what
 * two files share stays shared. With give_back the other stores lose what was moved,
 * so that both together never need much more room than one of them.
 *
 * Where all of it stands there without gaps nothing is done. The store is flushed, as
 * the others have to be before.
 */
int contents_pack(const struct tree *t, struct store *to, bool give_back, struct err *e);

#endif
