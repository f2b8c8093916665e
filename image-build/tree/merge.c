// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/tree/merge.h"

#include <stdlib.h>

#include "image-build/tree/whiteouts.h"

static void merge_directory(struct tree *to, struct node *below, struct node *above);

static void merge_over_directory(struct tree *to, struct node *below, struct node *above)
{
	if (above->inode->opaque)
		node_remove_children(to, below);
	inode_copy_attributes(below->inode, above->inode);
	merge_directory(to, below, above);
}

static void merge_child(struct tree *to, struct node *dir, struct node *above)
{
	struct node *below = node_child(dir, above->name);

	if (!above->inode) {
		if (below)
			node_remove(to, below);
		return;
	}
	if (below && node_is_directory(below) && node_is_directory(above)) {
		merge_over_directory(to, below, above);
		return;
	}
	/* What replaces has its children still to come; what is replaced loses all. */
	if (below)
		node_remove_children(to, below);
	else
		below = node_add(to, dir, above->name);
	node_set_inode(below, above->inode);
	if (node_is_directory(above))
		merge_directory(to, below, above);
}

static void merge_directory(struct tree *to, struct node *below, struct node *above)
{
	struct node **children = node_children(above);
	size_t count = above->child_count;

	for (size_t i = 0; i < count; i++)
		merge_child(to, below, children[i]);
	free(children);
}

void merge_layers(struct layer *layers, size_t count)
{
	struct tree *to = &layers[0].tree;

	overlay_drop_marks(to);
	for (size_t i = 1; i < count; i++) {
		overlay_settle(&layers[i].tree);
		merge_over_directory(to, to->root, layers[i].tree.root);
		/* The names above let go of the inodes that moved: links are counted once. */
		tree_free(&layers[i].tree);
	}
	overlay_drop_marks(to);
}
