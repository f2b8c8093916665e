// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/tree/layer.h"

#include <stdarg.h>
#include <stdio.h>

#include "image-build/base/limits.h"

void layer_init(struct layer *l)
{
	*l = (struct layer){ .store = STORE_NONE, .max_names = LIMIT_ENTRIES };
	tree_init(&l->tree);
}

void layer_free(struct layer *l)
{
	change_log_free(&l->changes);
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
