// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include <stdlib.h>

#include "image-build/base/memory.h"
#include "image-build/tree/tree.h"

/* The directories above the node that is visited, and how far each has come. */
struct level {
	struct node *const *next, *const *end; /* of its children */
};

struct walk {
	size_t depth, room;
	struct level *levels;
};

/* Its children come next, as they are after its visit. */
static void enter(struct walk *w, const struct node *dir)
{
	struct node *const *children = node_children(dir);

	w->levels = memory_grow(w->levels, w->depth, &w->room, sizeof(*w->levels));
	w->levels[w->depth++] = (struct level){ children, children + node_child_count(dir) };
}

/* The next one to be visited; NULL behind the last. */
static struct node *next_node(struct walk *w)
{
	while (w->depth) {
		struct level *level = &w->levels[w->depth - 1];

		if (level->next != level->end)
			return *level->next++;
		w->depth--;
	}
	return NULL;
}

int tree_walk(struct node *top, int (*visit)(struct node *node, void *context, struct err *e),
	      void *context, struct err *e)
{
	struct walk w = { .depth = 0 };
	struct node *node = top;
	int r = 0;

	while (!r && node) {
		r = visit(node, context, e);
		if (node_child_count(node))
			enter(&w, node);
		node = next_node(&w);
	}
	free(w.levels);
	return r;
}

static int forget_numbers(struct node *node, void *context, struct err *e)
{
	(void)context;
	(void)e;
	if (node->inode) {
		node->inode->number = 0;
		node->inode->nid = 0;
	}
	return 0;
}

void tree_forget_numbers(const struct tree *t)
{
	tree_walk(t->root, forget_numbers, NULL, NULL);
}
