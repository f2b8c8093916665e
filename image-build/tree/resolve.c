// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/tree/resolve.h"

#include <stdlib.h>
#include <string.h>

#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"

enum lookup {
	LOOKUP_FOUND,
	LOOKUP_UNKNOWN, /* this layer says nothing: ask the one below */
	LOOKUP_HIDDEN,  /* this layer says that there is nothing */
};

/* What one layer says about a path. */
static enum lookup look_in(const struct layer *l, const char *path, const struct node **ret)
{
	char *copy auto_text = memory_text(path);
	const struct node *node = l->tree.root;
	char *rest = copy, *name;
	bool opaque = false;

	while ((name = strsep(&rest, "/"))) {
		if (!*name)
			continue;
		if (!node_is_directory(node))
			return LOOKUP_HIDDEN;
		/* Above: what this directory hides of the layers below is hidden further down. */
		opaque = opaque || node->inode->opaque;
		node = node_child(node, name);
		if (!node)
			return opaque ? LOOKUP_HIDDEN : LOOKUP_UNKNOWN;
		if (!node->inode)
			return LOOKUP_HIDDEN;
		opaque = opaque || node->whiteout;
	}
	*ret = node;
	return LOOKUP_FOUND;
}

/* What the layers below index show under a path; NULL for nothing. */
static const struct node *look_below(const struct layer *layers, size_t index, const char *path)
{
	const struct node *node = NULL;

	while (index--) {
		enum lookup found = look_in(&layers[index], path, &node);

		if (found == LOOKUP_FOUND)
			return node;
		if (found == LOOKUP_HIDDEN)
			return NULL;
	}
	return NULL;
}

struct resolution {
	struct layer *layers;
	size_t index;
};

/* Whether the layer itself takes away what is below it under this name. */
static bool hides_below(const struct node *node)
{
	for (const struct node *n = node; n; n = n->parent)
		if (n->whiteout || (n != node && n->inode && n->inode->opaque))
			return true;
	return false;
}

static int resolve_implied(struct node *node, void *context, struct err *e)
{
	struct resolution *r = context;
	const struct node *below;
	char *path auto_text = NULL;

	if (!node_is_directory(node) || !node->inode->implied || hides_below(node))
		return 0;
	path = node_path(node);
	below = look_below(r->layers, r->index, path);
	if (!below)
		return 0;
	if (!node_is_directory(below))
		return refuse(e,
			      "it adds names below \"%s\", which is not a directory in the layers "
			      "below it; give \"%s\" an entry of its own, or put the files where "
			      "it leads",
			      path, path);
	inode_copy_attributes(node->inode, below->inode);
	return 0;
}

struct copied {
	const struct inode *from;
	struct inode *to;
};

static struct inode *copy_inode(const struct inode *from)
{
	struct inode *to = inode_new(from->mode);

	inode_copy_attributes(to, from);
	to->size = from->size;
	to->content = from->content;
	to->content.room = from->content.count;
	to->content.extents = memory_copy(from->content.extents,
					  from->content.count * sizeof(*from->content.extents));
	return to;
}

static int resolve_link(struct resolution *r, const struct dangling_link *link,
			struct copied *copies, size_t *count, struct err *e)
{
	const struct node *below = look_below(r->layers, r->index, link->target);
	char *path auto_text = node_path(link->node);

	if (!below)
		return refuse(e,
			      "\"%s\" is a hard link to \"%s\", which neither it nor the layers "
			      "below it have",
			      path, link->target);
	if (S_ISDIR(below->inode->mode))
		return refuse(e, "\"%s\" is a hard link to the directory \"%s\"", path,
			      link->target);
	for (size_t i = 0; i < *count; i++)
		if (copies[i].from == below->inode) {
			node_set_inode(link->node, copies[i].to);
			return 0;
		}
	copies[*count] = (struct copied){ below->inode, copy_inode(below->inode) };
	node_set_inode(link->node, copies[(*count)++].to);
	return 0;
}

int resolve_layer(struct layer *layers, size_t index, struct err *e)
{
	struct layer *l = &layers[index];
	struct resolution resolution = { layers, index };
	struct copied *copies = memory_zero(l->link_count, sizeof(*copies));
	size_t count = 0;
	int r = tree_walk(l->tree.root, resolve_implied, &resolution, e);

	for (size_t i = 0; !r && i < l->link_count; i++)
		r = resolve_link(&resolution, &l->links[i], copies, &count, e);
	free(copies);
	return r;
}
