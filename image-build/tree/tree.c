// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/tree/tree.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "image-build/base/memory.h"

static int by_name(const void *a, const void *b)
{
	const struct node *x = a, *y = b;

	return strcmp(x->name, y->name);
}

void inode_release(struct inode *inode)
{
	if (!inode || --inode->names)
		return;
	for (size_t i = 0; i < inode->xattr_count; i++) {
		free(inode->xattrs[i].name);
		free(inode->xattrs[i].value);
	}
	free(inode->xattrs);
	free(inode->target);
	content_free(&inode->content);
	free(inode);
}

static struct node *node_new(const char *name, struct node *parent)
{
	struct node *node = memory_zero(1, sizeof(*node));

	node->name = memory_text(name);
	node->parent = parent;
	return node;
}

static void node_free(void *pointer)
{
	struct node *node = pointer;

	tdestroy(node->children, node_free);
	inode_release(node->inode);
	free(node->name);
	free(node);
}

void tree_init(struct tree *t)
{
	t->root = node_new("", NULL);
	t->nodes = 1;
	node_set_inode(t->root, inode_new_implied());
}

void tree_free(struct tree *t)
{
	if (t->root)
		node_free(t->root);
	t->root = NULL;
}

struct node *node_child(const struct node *dir, const char *name)
{
	/* The comparison reads only the name; it is not written through. */
	union {
		const char *in;
		char *out;
	} key_name = { .in = name };
	struct node key = { .name = key_name.out };
	struct node **found = tfind(&key, &dir->children, by_name);

	return found ? *found : NULL;
}

struct node *node_add(struct tree *t, struct node *dir, const char *name)
{
	struct node *node = node_new(name, dir);
	struct node **slot = tsearch(node, &dir->children, by_name);

	if (!slot || *slot != node)
		abort(); /* out of memory, or a caller that did not look first */
	dir->child_count++;
	t->nodes++;
	return node;
}

static int count_node(struct node *node, void *context, struct err *e)
{
	size_t *count = context;

	(void)node;
	(void)e;
	(*count)++;
	return 0;
}

void node_remove(struct tree *t, struct node *node)
{
	size_t count = 0;

	tree_walk(node, count_node, &count, NULL);
	t->nodes -= count;
	node->parent->child_count--;
	tdelete(node, &node->parent->children, by_name);
	node_free(node);
}

void node_remove_children(struct tree *t, struct node *dir)
{
	struct node **children = node_children(dir);
	size_t count = dir->child_count;

	for (size_t i = 0; i < count; i++)
		node_remove(t, children[i]);
	free(children);
}

struct collection {
	struct node **at;
};

static void collect(const void *position, VISIT which, void *closure)
{
	struct collection *c = closure;

	if (which == postorder || which == leaf)
		*c->at++ = *(struct node *const *)position;
}

struct node **node_children(const struct node *dir)
{
	struct node **children = memory_zero(dir->child_count + 1, sizeof(*children));
	struct collection c = { .at = children };

	twalk_r(dir->children, collect, &c);
	return children;
}

char *node_path(const struct node *node)
{
	size_t size = 1, at;
	char *path;

	for (const struct node *n = node; n->parent; n = n->parent)
		size += strlen(n->name) + (n->parent->parent ? 1 : 0);
	path = memory_zero(1, size);
	at = size - 1;
	for (const struct node *n = node; n->parent; n = n->parent) {
		at -= strlen(n->name);
		memcpy(path + at, n->name, strlen(n->name));
		if (n->parent->parent)
			path[--at] = '/';
	}
	return path;
}

struct node *tree_find(const struct tree *t, const char *path)
{
	char *copy auto_text = memory_text(path);
	struct node *node = t->root;
	char *rest = copy, *name;

	while (node && (name = strsep(&rest, "/")))
		if (*name)
			node = node_child(node, name);
	return node;
}

struct inode *inode_new(mode_t mode)
{
	struct inode *inode = memory_zero(1, sizeof(*inode));

	inode->mode = mode;
	return inode;
}

struct inode *inode_hold(struct inode *inode)
{
	inode->names++;
	return inode;
}

struct inode *inode_new_implied(void)
{
	struct inode *inode = inode_new(S_IFDIR | 0755);

	inode->implied = true;
	return inode;
}

void inode_copy_attributes(struct inode *to, const struct inode *from)
{
	to->mode = from->mode;
	to->uid = from->uid;
	to->gid = from->gid;
	to->mtime_sec = from->mtime_sec;
	to->mtime_nsec = from->mtime_nsec;
	to->device_major = from->device_major;
	to->device_minor = from->device_minor;
	free(to->target);
	to->target = from->target ? memory_text(from->target) : NULL;
	while (to->xattr_count)
		inode_remove_xattr(to, to->xattrs[0].name);
	for (size_t i = 0; i < from->xattr_count; i++)
		inode_set_xattr(to, from->xattrs[i].name, from->xattrs[i].value,
				from->xattrs[i].size);
}

/* Where a name stands, or would have to. */
static size_t xattr_position(const struct inode *inode, const char *name)
{
	size_t i = 0;

	while (i < inode->xattr_count && strcmp(inode->xattrs[i].name, name) < 0)
		i++;
	return i;
}

const struct xattr *inode_xattr(const struct inode *inode, const char *name)
{
	size_t i = xattr_position(inode, name);

	if (i == inode->xattr_count || strcmp(inode->xattrs[i].name, name))
		return NULL;
	return &inode->xattrs[i];
}

void inode_remove_xattr(struct inode *inode, const char *name)
{
	size_t i = xattr_position(inode, name);

	if (!inode_xattr(inode, name))
		return;
	free(inode->xattrs[i].name);
	free(inode->xattrs[i].value);
	inode->xattr_count--;
	memmove(inode->xattrs + i, inode->xattrs + i + 1,
		(inode->xattr_count - i) * sizeof(*inode->xattrs));
}

void inode_set_xattr(struct inode *inode, const char *name, const void *value, size_t size)
{
	struct xattr added = { memory_text(name), size, memory_copy(value, size) };
	size_t i;

	inode_remove_xattr(inode, name);
	i = xattr_position(inode, name);
	inode->xattrs = memory_grow(inode->xattrs, inode->xattr_count, &inode->xattr_room,
				    sizeof(*inode->xattrs));
	memmove(inode->xattrs + i + 1, inode->xattrs + i,
		(inode->xattr_count - i) * sizeof(*inode->xattrs));
	inode->xattrs[i] = added;
	inode->xattr_count++;
}

void node_set_inode(struct node *node, struct inode *inode)
{
	struct inode *before = node->inode;

	if (inode)
		inode->names++;
	node->inode = inode;
	inode_release(before);
}

int tree_walk(struct node *top, int (*visit)(struct node *node, void *context, struct err *e),
	      void *context, struct err *e)
{
	struct node **children;
	size_t count;
	int r;

	r = visit(top, context, e);
	if (r)
		return r;
	/* As they are after the visit, which may add or remove some. */
	children = node_children(top);
	count = top->child_count;
	for (size_t i = 0; !r && i < count; i++)
		r = tree_walk(children[i], visit, context, e);
	free(children);
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
