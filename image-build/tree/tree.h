/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_TREE_TREE_H
#define IMAGE_BUILD_TREE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "image-build/tree/children.h"
#include "image-build/tree/inode.h"
#include "lib/err.h"

/*
 * A layer, or several merged ones, in memory: names that lead to inodes. A
 * hard link is a second name of one inode. File contents stand in a store.
 *
 * There may be millions of names, millions of them in one directory, and paths of
 * thousands of components: memory is a fixed number of bytes for each, a name is
 * added and found in constant time, and nothing calls itself.
 */
struct tree {
	struct node *root;
	size_t names; /* the root is none */
};

void tree_init(struct tree *t);
void tree_free(struct tree *t);

struct node *node_child(const struct node *dir, const char *name);
/* The same by a name of size bytes. */
struct node *node_find(const struct node *dir, const char *name, size_t size);
/* A name that dir does not have yet. */
struct node *node_add(struct tree *t, struct node *dir, const char *name);
/* The same by a name of size bytes. */
struct node *node_insert(struct tree *t, struct node *dir, const char *name, size_t size);
/* With all that is below it. */
void node_remove(struct tree *t, struct node *node);
void node_remove_children(struct tree *t, struct node *dir);
/* Those without an inode. */
void node_remove_whiteouts(struct tree *t, struct node *dir);

/*
 * Of a tree that is used up: take any child out of a directory, with all below it,
 * until none is left (NULL). It goes into a directory of another tree, in the place
 * of what that has under this name, or is freed. names of the trees do not follow.
 */
struct node *node_take(struct node *dir);
void node_put(struct tree *t, struct node *dir, struct node *node);
void node_free(struct tree *t, struct node *node);

size_t node_child_count(const struct node *dir);

/* Ascending by the bytes of their names; valid until one is added or removed. */
struct node *const *node_children(const struct node *dir);

/* From the root, without a leading slash; allocated. */
char *node_path(const struct node *node);

/* By cleaned path; NULL where there is no such name. */
struct node *tree_find(const struct tree *t, const char *path);

/* Bind a name to an inode, and let go of the one it had; NULL only lets go. */
void node_set_inode(struct node *node, struct inode *inode);

static inline bool node_is_directory(const struct node *node)
{
	return node->inode && S_ISDIR(node->inode->mode);
}

/* For whoever walks: no inode has a number or a nid any more. */
void tree_forget_numbers(const struct tree *t);

/*
 * Visit a directory and all below it, parents first, in the order of names. A visit
 * may change what is below its node, and nothing else.
 */
int tree_walk(struct node *top, int (*visit)(struct node *node, void *context, struct err *e),
	      void *context, struct err *e);

#endif
