/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_TREE_LAYER_H
#define IMAGE_BUILD_TREE_LAYER_H

#include <stdatomic.h>
#include <stdint.h>

#include "image-build/base/store.h"
#include "image-build/tree/change_log.h"
#include "image-build/tree/tree.h"
#include "lib/err.h"

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
	struct store store;
	struct layer_budget *budget; /* borrowed, shared by an image's layers; NULL: no end */
	size_t max_names;            /* and entries; LIMIT_ENTRIES */
	struct change_log changes;   /* what resolve_layer() has not yet taken */
	char notes[LAYER_NOTES][NOTE_SIZE]; /* "" or the first of its kind, as a sentence */
};

void layer_init(struct layer *l);
void layer_free(struct layer *l);

/* Keep what is worth a word: the first of each kind. */
void layer_note(struct layer *l, enum layer_note kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
