// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/tree/resolve.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "image-build/base/limits.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/tree/view.h"
#include "image-build/tree/follow.h"
#include "image-build/tree/resolve_implied.h"

/* A file of a layer below, and its copy in this one. */
struct copied {
	struct inode *from; /* its number is one more than this one's place in the list */
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
	char last_path[LIMIT_PATH + 1];
	struct node *last; /* NULL: none yet */
};

static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* What a path stands in. */
static void above(const char *path, char ret[LIMIT_PATH + 1])
{
	const char *slash = strrchr(path, '/');
	size_t size = slash ? (size_t)(slash - path) : 0;

	memcpy(ret, path, size);
	ret[size] = '\0';
}

static struct node *get_child(struct resolution *r, struct node *dir, const char *name, size_t size)
{
	struct node *node = node_find(dir, name, size);

	return node ? node : node_insert(r->tree, dir, name, size);
}

/* A directory by a path that has no links in it, made up where no entry has named it yet. */
static int make_directory(struct resolution *r, const char *path, struct node **ret, struct err *e)
{
	struct node *dir = r->tree->root;

	while (*path) {
		size_t size = strcspn(path, "/");

		dir = get_child(r, dir, path, size);
		if (!dir->inode)
			node_set_inode(dir, inode_new_implied());
		if (!S_ISDIR(dir->inode->mode))
			return refuse(e, "it is below \"%s\", which is not a directory", dir->name);
		path += size + (path[size] == '/');
	}
	*ret = dir;
	return 0;
}

/* A directory by a cleaned path; NULL where it is behind links and nowhere. */
static int find_directory(struct resolution *r, const char *path, bool make, struct node **ret,
			  struct err *e)
{
	char real[LIMIT_PATH + 1];
	bool linked = false;
	int bad;

	if (r->last && !strcmp(path, r->last_path)) {
		*ret = r->last;
		return 0;
	}
	bad = follow_links(r->layers, r->index, path, real, &linked, e);
	if (bad)
		return bad;
	*ret = NULL;
	if (!make && linked && !view_of_path(r->layers, r->index + 1, real))
		return 0;
	bad = make_directory(r, real, ret, e);
	if (bad)
		return bad;
	strcpy(r->last_path, path);
	r->last = *ret;
	return 0;
}

static int find_parent(struct resolution *r, const char *path, bool make, struct node **ret,
		       struct err *e)
{
	char parent[LIMIT_PATH + 1];

	above(path, parent);
	return find_directory(r, parent, make, ret, e);
}

static int find_node(struct resolution *r, const char *path, struct node **ret, struct err *e)
{
	const char *name = last_component(path);
	struct node *dir;
	int bad = find_parent(r, path, true, &dir, e);

	if (!bad)
		*ret = *path ? get_child(r, dir, name, strlen(name)) : r->tree->root;
	return bad;
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
	const char *name = last_component(c->path);
	struct node *dir;
	int bad;

	if (c->kind == CHANGE_OPAQUE) {
		bad = find_directory(r, c->path, false, &dir, e);
		if (!bad && dir)
			dir->inode->opaque = true;
		return bad;
	}
	bad = find_parent(r, c->path, false, &dir, e);
	if (!bad && dir)
		get_child(r, dir, name, strlen(name))->whiteout = true;
	return bad;
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
static struct inode *copy_of(struct resolution *r, struct inode *from)
{
	if (from->number)
		return r->copies[from->number - 1].to;
	r->copies = memory_grow(r->copies, r->copy_count, &r->copy_room, sizeof(*r->copies));
	/* Held, for a later link, also where this one's name is replaced. */
	r->copies[r->copy_count++] = (struct copied){ from, inode_hold(copy_inode(from)) };
	from->number = (uint32_t)r->copy_count;
	return r->copies[r->copy_count - 1].to;
}

static void forget_copies(struct resolution *r)
{
	for (size_t i = 0; i < r->copy_count; i++) {
		r->copies[i].from->number = 0;
		inode_release(r->copies[i].to);
	}
	free(r->copies);
}

/* The path of a link's target without the links that lead to it. */
static int follow_target(struct resolution *r, const char *target, char ret[LIMIT_PATH + 1],
			 struct err *e)
{
	const char *name = last_component(target);
	char parent[LIMIT_PATH + 1];
	bool linked;
	int bad;

	above(target, parent);
	bad = follow_links(r->layers, r->index, parent, ret, &linked, e);
	if (bad)
		return bad;
	if (strlen(ret) + 1 + strlen(name) > LIMIT_PATH)
		return refuse_limit(e, "a hard link's target is longer than %d bytes", LIMIT_PATH);
	if (*ret)
		strcat(ret, "/");
	strcat(ret, name);
	return 0;
}

static int link_below(struct resolution *r, struct node *node, const char *target,
		      const char *shown, struct err *e)
{
	const struct node *below = view_of_path(r->layers, r->index, target);

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
	struct change c = { .path = "" };
	int bad = 0;

	while (!bad && change_log_take(&l->changes, &c)) {
		bad = apply(r, &c, e);
		if (!bad && r->tree->names > l->max_names)
			bad = refuse_limit(e, "more than %zu names", l->max_names);
		inode_release(c.inode);
	}
	return err_prefix(e, bad, "entry \"%.150s\": ", c.path);
}

int resolve_layer(struct layer *layers, size_t index, struct err *e)
{
	struct resolution r = { .layers = layers, .index = index, .tree = &layers[index].tree };
	int bad = apply_all(&r, e);

	change_log_free(&layers[index].changes);
	forget_copies(&r);
	return bad ? bad : resolve_implied(layers, index, e);
}
