// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/tree/merge.h"

#include <stdlib.h>

#include "image-build/base/memory.h"
#include "image-build/tree/whiteouts.h"

/* Two directories of one path; the names of the one above are still to be merged. */
struct pair {
	struct node *below, *above;
};

struct merging {
	struct tree *to, *from;
	size_t count, room;
	struct pair *pairs;
};

static void merge_directory(struct merging *m, struct node *below, struct node *above)
{
	if (above->inode->opaque)
		node_remove_children(m->to, below);
	inode_copy_attributes(below->inode, above->inode);
	m->pairs = memory_grow(m->pairs, m->count, &m->room, sizeof(*m->pairs));
	m->pairs[m->count++] = (struct pair){ below, above };
}

static void merge_child(struct merging *m, struct node *dir, struct node *above)
{
	struct node *below = node_child(dir, above->name);

	if (below && node_is_directory(below) && node_is_directory(above)) {
		merge_directory(m, below, above);
		return;
	}
	/* With all that is below it: nothing of the layers below shows there. */
	if (above->inode) {
		node_put(m->to, dir, above);
		return;
	}
	if (below)
		node_remove(m->to, below);
	node_free(m->from, above);
}

static void merge_tree(struct tree *to, struct tree *from)
{
	struct merging m = { .to = to, .from = from };

	merge_directory(&m, to->root, from->root);
	while (m.count) {
		struct pair p = m.pairs[--m.count];
		struct node *child;

		while ((child = node_take(p.above)))
			merge_child(&m, p.below, child);
		if (p.above != from->root)
			node_free(from, p.above);
	}
	free(m.pairs);
	/* What was not freed has moved. */
	to->names += from->names;
	from->names = 0;
	tree_free(from);
}

void merge_layers(struct layer *layers, size_t count)
{
	struct tree *to = &layers[0].tree;

	overlay_drop_marks(to);
	for (size_t i = 1; i < count; i++) {
		overlay_settle(&layers[i].tree);
		merge_tree(to, &layers[i].tree);
	}
	overlay_drop_marks(to);
}
