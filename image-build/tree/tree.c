// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/tree/tree.h"

#include <stdlib.h>
#include <string.h>

#include "image-build/base/memory.h"

static struct node *node_new(const char *name, size_t size, struct node *parent)
{
	size_t bytes = offsetof(struct node, name) + size + 1;
	struct node *node = memory_zero(1, bytes < sizeof(*node) ? sizeof(*node) : bytes);

	memcpy(node->name, name, size);
	node->hash = children_hash(name, size);
	node->parent = parent;
	return node;
}

static void free_table(struct node *dir)
{
	if (dir->children)
		free(dir->children->slots);
	free(dir->children);
	dir->children = NULL;
}

/* Free all below a node, the deepest first, and say how many that were. */
static size_t free_children(struct node *dir)
{
	struct node *node = dir;
	size_t count = 0;

	for (;;) {
		struct node *child = node->children ? children_pop(node->children) : NULL;
		struct node *above = node->parent;

		if (child) {
			node = child;
			continue;
		}
		free_table(node);
		if (node == dir)
			return count;
		inode_release(node->inode);
		free(node);
		count++;
		node = above;
	}
}

void node_free(struct tree *t, struct node *node)
{
	t->names -= free_children(node) + 1;
	inode_release(node->inode);
	free(node);
}

void tree_init(struct tree *t)
{
	t->root = node_new("", 0, NULL);
	t->names = 0;
	node_set_inode(t->root, inode_new_implied());
}

void tree_free(struct tree *t)
{
	if (t->root) {
		free_children(t->root);
		inode_release(t->root->inode);
		free(t->root);
	}
	*t = (struct tree){ .root = NULL };
}

struct node *node_find(const struct node *dir, const char *name, size_t size)
{
	return dir->children ? children_find(dir->children, name, size) : NULL;
}

struct node *node_child(const struct node *dir, const char *name)
{
	return node_find(dir, name, strlen(name));
}

static void insert(struct node *dir, struct node *node)
{
	if (!dir->children)
		dir->children = memory_zero(1, sizeof(*dir->children));
	children_add(dir->children, node);
}

struct node *node_insert(struct tree *t, struct node *dir, const char *name, size_t size)
{
	struct node *node = node_new(name, size, dir);

	insert(dir, node);
	t->names++;
	return node;
}

struct node *node_add(struct tree *t, struct node *dir, const char *name)
{
	return node_insert(t, dir, name, strlen(name));
}

void node_remove(struct tree *t, struct node *node)
{
	children_remove(node->parent->children, node);
	node_free(t, node);
}

void node_remove_children(struct tree *t, struct node *dir)
{
	t->names -= free_children(dir);
}

void node_remove_whiteouts(struct tree *t, struct node *dir)
{
	struct node **children = dir->children ? children_sort(dir->children) : NULL;
	size_t count = node_child_count(dir);
	uint32_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (children[i]->inode)
			children[kept++] = children[i];
		else
			node_free(t, children[i]);
	}
	if (count)
		dir->children->count = dir->children->room = kept;
}

struct node *node_take(struct node *dir)
{
	return dir->children ? children_pop(dir->children) : NULL;
}

void node_put(struct tree *t, struct node *dir, struct node *node)
{
	struct node *there = node_child(dir, node->name);

	node->parent = dir;
	if (!there) {
		insert(dir, node);
		return;
	}
	children_replace(dir->children, there, node);
	node_free(t, there);
}

size_t node_child_count(const struct node *dir)
{
	return dir->children ? dir->children->count : 0;
}

struct node *const *node_children(const struct node *dir)
{
	return dir->children ? children_sort(dir->children) : NULL;
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
	struct node *node = t->root;

	while (node && *path) {
		size_t size = strcspn(path, "/");

		if (size)
			node = node_find(node, path, size);
		path += size + (path[size] == '/');
	}
	return node;
}

void node_set_inode(struct node *node, struct inode *inode)
{
	struct inode *before = node->inode;

	if (inode)
		inode->names++;
	node->inode = inode;
	inode_release(before);
}
