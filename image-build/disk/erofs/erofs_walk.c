// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/disk/erofs/erofs_walk.h"

/* Visit all children that are directories, or all others. */
static int walk_children(const struct erofs_dir *d, bool directories, const struct erofs_visitor *v,
			 struct err *e)
{
	int r = 0;

	for (size_t i = 0; !r && i < node_child_count(d->node); i++) {
		const struct node *child = d->children[i];

		if (node_is_directory(child) == directories)
			r = directories ? erofs_walk(child, v, e) : v->other(child, v->context, e);
	}
	return r;
}

int erofs_walk(const struct node *top, const struct erofs_visitor *v, struct err *e)
{
	struct erofs_dir d;
	int r;

	erofs_dir_open(&d, top);
	r = v->directory(&d, v->context, e);
	if (!r)
		r = walk_children(&d, false, v, e);
	if (!r)
		r = walk_children(&d, true, v, e);
	return r;
}
