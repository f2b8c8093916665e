// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/tree/view.h"

#include <string.h>

#define NOWHERE UINT32_MAX /* a depth that no path has */

static bool hides_below(const struct node *node)
{
	return node->whiteout || (node->inode && node->inode->opaque);
}

void view_open(struct view *v, const struct layer *layers, size_t count)
{
	v->layers = layers;
	v->count = count;
	v->depth = 0;
	for (size_t i = 0; i < count; i++) {
		const struct node *root = layers[i].tree.root;

		v->at[i] = (struct view_layer){ root, 0, hides_below(root) ? 0 : NOWHERE };
	}
}

static void layer_down(struct view_layer *at, const char *name, size_t size, uint32_t depth)
{
	const struct node *child = node_find(at->node, name, size);

	if (!child)
		return;
	at->node = child;
	at->depth = depth;
	if (at->hides == NOWHERE && hides_below(child))
		at->hides = depth;
}

void view_down(struct view *v, const char *name, size_t size)
{
	for (size_t i = 0; i < v->count; i++)
		if (v->at[i].depth == v->depth)
			layer_down(&v->at[i], name, size, v->depth + 1);
	v->depth++;
}

void view_up(struct view *v)
{
	if (!v->depth)
		return;
	v->depth--;
	for (size_t i = 0; i < v->count; i++) {
		struct view_layer *at = &v->at[i];

		if (at->depth > v->depth) {
			at->node = at->node->parent;
			at->depth = v->depth;
		}
		if (at->hides != NOWHERE && at->hides > v->depth)
			at->hides = NOWHERE;
	}
}

const struct node *view_node(const struct view *v, size_t count)
{
	while (count--) {
		const struct view_layer *at = &v->at[count];

		if (!at->node->inode)
			return NULL;
		if (at->depth == v->depth)
			return at->node;
		/* The path goes on below what is no directory, or what hides the layers below. */
		if (!node_is_directory(at->node) || at->hides != NOWHERE)
			return NULL;
	}
	return NULL;
}

const struct node *view_of_path(const struct layer *layers, size_t count, const char *path)
{
	struct view v;

	view_open(&v, layers, count);
	while (*path) {
		size_t size = strcspn(path, "/");

		if (size)
			view_down(&v, path, size);
		path += size + (path[size] == '/');
	}
	return view_node(&v, count);
}
