// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/tree/layer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void layer_init(struct layer *l)
{
	*l = (struct layer){ .store = STORE_NONE };
	tree_init(&l->tree);
}

void layer_free_changes(struct layer *l)
{
	for (size_t i = 0; i < l->change_count; i++) {
		free(l->changes[i].path);
		free(l->changes[i].target);
		inode_release(l->changes[i].inode);
	}
	free(l->changes);
	l->changes = NULL;
	l->change_count = l->change_room = 0;
}

void layer_free(struct layer *l)
{
	layer_free_changes(l);
	tree_free(&l->tree);
	store_close(&l->store);
}

void layer_note(struct layer *l, enum layer_note kind, const char *fmt, ...)
{
	va_list args;

	if (l->notes[kind][0])
		return;
	va_start(args, fmt);
	vsnprintf(l->notes[kind], NOTE_SIZE, fmt, args);
	va_end(args);
}
