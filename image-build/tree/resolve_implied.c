// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/tree/resolve_implied.h"

#include <string.h>

#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/tree/view.h"

struct implied {
	size_t index;
	struct view view; /* of the layer and those below it, at the directory under way */
};

/* Let the view follow the walk, which goes down a directory at a time, and up by many. */
static void follow_walk(struct view *v, const struct node *dir)
{
	while (v->at[v->count - 1].node != dir->parent)
		view_up(v);
	view_down(v, dir->name, strlen(dir->name));
}

/* What the layers below show where the view is, if this one does not take it away itself. */
static const struct node *shown_below(const struct implied *x, const struct node *node)
{
	if (node->whiteout || x->view.at[x->index].hides < x->view.depth)
		return NULL;
	return view_node(&x->view, x->index);
}

static int take_attributes(struct node *node, void *context, struct err *e)
{
	struct implied *x = context;
	const struct node *below;

	if (!node_is_directory(node))
		return 0;
	if (node->parent)
		follow_walk(&x->view, node);
	below = node->inode->implied ? shown_below(x, node) : NULL;
	if (!below)
		return 0;
	if (!node_is_directory(below)) {
		char *path auto_text = node_path(node);

		return refuse(e,
			      "it adds names below \"%s\", which is not a directory in the layers "
			      "below it",
			      path);
	}
	inode_copy_attributes(node->inode, below->inode);
	return 0;
}

int resolve_implied(struct layer *layers, size_t index, struct err *e)
{
	struct implied x = { .index = index };

	view_open(&x.view, layers, index + 1);
	return tree_walk(layers[index].tree.root, take_attributes, &x, e);
}
