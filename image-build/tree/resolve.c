// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/tree/resolve.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "image-build/base/limits.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/tree/below.h"
#include "image-build/tree/follow.h"

struct copied {
	const struct inode *from;
	struct inode *to;
};

struct resolution {
	struct layer *layers;
	size_t index;
	struct tree *tree; /* the layer's own */
	size_t copy_count, copy_room;
	struct copied *copies;
	/*
	 * Names of one directory mostly come together: the last one, and where it led. A
	 * change is made to what is in it, so it stays right.
	 */
	bool last_is_known;
	char last_path[LIMIT_PATH + 1];
	struct node *last;
};

static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* A directory by a path that has no links in it, made up where no entry has named it yet. */
static int make_directory(struct resolution *r, char *path, struct node **ret, struct err *e)
{
	struct node *dir = r->tree->root;
	char *rest = path, *name;

	while ((name = strsep(&rest, "/"))) {
		struct node *node;

		if (!*name)
			continue;
		node = node_child(dir, name);
		if (!node)
			node = node_add(r->tree, dir, name);
		if (!node->inode)
			node_set_inode(node, inode_new_implied());
		if (!S_ISDIR(node->inode->mode))
			return refuse(e, "it is below \"%s\", which is not a directory", name);
		dir = node;
	}
	*ret = dir;
	return 0;
}

/* The directory that a cleaned path stands in; NULL where it is behind links and nowhere. */
static int find_parent(struct resolution *r, const char *path, bool make, struct node **ret,
		       struct err *e)
{
	char *parent auto_text = memory_text(path);
	char real[LIMIT_PATH + 1];
	bool linked = false;
	int bad;

	parent[last_component(path) - path - (strchr(path, '/') ? 1 : 0)] = '\0';
	if (r->last_is_known && !strcmp(parent, r->last_path)) {
		*ret = r->last;
		return 0;
	}
	bad = follow_links(r->layers, r->index, parent, real, &linked, e);
	if (bad)
		return bad;
	*ret = NULL;
	if (!make && linked && !look_below(r->layers, r->index + 1, real))
		return 0;
	bad = make_directory(r, real, ret, e);
	if (bad)
		return bad;
	r->last_is_known = true;
	strcpy(r->last_path, parent);
	r->last = *ret;
	return 0;
}

static int find_node(struct resolution *r, const char *path, struct node **ret, struct err *e)
{
	struct node *dir, *node;
	int bad = find_parent(r, path, true, &dir, e);

	if (bad)
		return bad;
	node = *path ? node_child(dir, last_component(path)) : r->tree->root;
	if (!node)
		node = node_add(r->tree, dir, last_component(path));
	if (r->tree->names > LIMIT_ENTRIES)
		return refuse_limit(e, "more than %d names", LIMIT_ENTRIES);
	*ret = node;
	return 0;
}

/* Give a name another inode than it had, and forget what was below it. */
static void replace(struct resolution *r, struct node *node, struct inode *inode)
{
	node_remove_children(r->tree, node);
	node_set_inode(node, inode);
	/* The layers below lose what they have here, whatever comes in its place. */
	if (!S_ISDIR(inode->mode))
		node->whiteout = true;
}

static int place(struct resolution *r, const char *path, struct inode *inode, struct err *e)
{
	struct node *node;
	int bad = find_node(r, path, &node, e);

	if (bad)
		return bad;
	if (node_is_directory(node) && S_ISDIR(inode->mode)) {
		bool opaque = node->inode->opaque || inode->opaque;

		inode_copy_attributes(node->inode, inode);
		node->inode->implied = false;
		node->inode->opaque = opaque;
		return 0;
	}
	replace(r, node, inode);
	return 0;
}

static int add_mark(struct resolution *r, const struct change *c, struct err *e)
{
	struct node *dir, *node;
	int bad = 0;

	/* "d/." stands in d. */
	if (c->kind == CHANGE_OPAQUE) {
		char *inside auto_text = memory_printf("%s%s.", c->path, *c->path ? "/" : "");

		bad = find_parent(r, inside, false, &dir, e);
		if (!bad && dir)
			dir->inode->opaque = true;
		return bad;
	}
	bad = find_parent(r, c->path, false, &dir, e);
	if (bad || !dir)
		return bad;
	node = node_child(dir, last_component(c->path));
	if (!node)
		node = node_add(r->tree, dir, last_component(c->path));
	node->whiteout = true;
	return 0;
}

static struct inode *copy_inode(const struct inode *from)
{
	struct inode *to = inode_new(from->mode);

	inode_copy_attributes(to, from);
	if (!S_ISREG(from->mode))
		return to;
	to->size = from->size;
	to->content = content_copy(&from->content);
	return to;
}

/* The copy of a lower layer's file that this layer's links share. */
static struct inode *copy_of(struct resolution *r, const struct inode *from)
{
	for (size_t i = 0; i < r->copy_count; i++)
		if (r->copies[i].from == from)
			return r->copies[i].to;
	r->copies = memory_grow(r->copies, r->copy_count, &r->copy_room, sizeof(*r->copies));
	/* Held, for a later link, also where this one's name is replaced. */
	r->copies[r->copy_count] = (struct copied){ from, inode_hold(copy_inode(from)) };
	return r->copies[r->copy_count++].to;
}

/* The path of a link's target without the links that lead to it. */
static int follow_target(struct resolution *r, const char *target, char ret[LIMIT_PATH + 1],
			 struct err *e)
{
	char *parent auto_text = memory_text(target);
	const char *name = last_component(target);
	char real[LIMIT_PATH + 1];
	bool linked;
	int bad;

	parent[name - target - (name == target ? 0 : 1)] = '\0';
	bad = follow_links(r->layers, r->index, parent, real, &linked, e);
	if (bad)
		return bad;
	if (strlen(real) + 1 + strlen(name) > LIMIT_PATH)
		return refuse_limit(e, "a hard link's target is longer than %d bytes", LIMIT_PATH);
	strcpy(ret, real);
	if (*real)
		strcat(ret, "/");
	strcat(ret, name);
	return 0;
}

static int link_below(struct resolution *r, struct node *node, const char *target,
		      const char *shown, struct err *e)
{
	const struct node *below = look_below(r->layers, r->index, target);

	if (!below)
		return refuse(
			e, "a hard link to \"%s\", which neither it nor the layers below it have",
			shown);
	if (S_ISDIR(below->inode->mode))
		return refuse(e, "a hard link to the directory \"%s\"", shown);
	replace(r, node, copy_of(r, below->inode));
	return 0;
}

static int add_link(struct resolution *r, const struct change *c, struct err *e)
{
	char target[LIMIT_PATH + 1];
	struct node *node, *to;
	int bad = follow_target(r, c->target, target, e);

	if (bad)
		return bad;
	bad = find_node(r, c->path, &node, e);
	if (bad)
		return bad;
	/* Only now: the directory that the name is in may just have been made up. */
	to = tree_find(r->tree, target);
	if (to && node_is_directory(to))
		return refuse(e, "a hard link to the directory \"%s\"", c->target);
	for (const struct node *n = to ? to->parent : NULL; n; n = n->parent)
		if (n == node)
			return refuse(e, "a hard link to \"%s\" below itself", c->target);
	if (!to || !to->inode)
		return link_below(r, node, target, c->target, e);
	if (to != node)
		replace(r, node, to->inode);
	return 0;
}

static int apply(struct resolution *r, const struct change *c, struct err *e)
{
	switch (c->kind) {
	case CHANGE_INODE:
		return place(r, c->path, c->inode, e);
	case CHANGE_LINK:
		return add_link(r, c, e);
	case CHANGE_WHITEOUT:
	case CHANGE_OPAQUE:
		break;
	}
	return add_mark(r, c, e);
}

static int apply_all(struct resolution *r, struct err *e)
{
	struct layer *l = &r->layers[r->index];

	for (size_t i = 0; i < l->change_count; i++) {
		int bad = apply(r, &l->changes[i], e);

		if (bad)
			return err_prefix(e, bad, "entry \"%.150s\": ", l->changes[i].path);
	}
	return 0;
}

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
			      "below it",
			      path);
	inode_copy_attributes(node->inode, below->inode);
	return 0;
}

int resolve_layer(struct layer *layers, size_t index, struct err *e)
{
	struct resolution r = { .layers = layers, .index = index, .tree = &layers[index].tree };
	int bad = apply_all(&r, e);

	layer_free_changes(&layers[index]);
	for (size_t i = 0; i < r.copy_count; i++)
		inode_release(r.copies[i].to);
	free(r.copies);
	return bad ? bad : tree_walk(r.tree->root, resolve_implied, &r, e);
}
