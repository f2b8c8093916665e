/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_TREE_TREE_H
#define IMAGE_BUILD_TREE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "image-build/base/store.h"
#include "lib/err.h"

/*
 * A layer, or several merged ones, in memory: names that lead to inodes. A
 * hard link is a second name of one inode. File contents stand in a store.
 */
struct xattr {
	char *name;
	size_t size;
	uint8_t *value;
};

struct inode {
	uint32_t names; /* how many nodes lead here; a directory has one */
	mode_t mode;    /* with the file type */
	uint32_t uid, gid;
	int64_t mtime_sec;
	uint32_t mtime_nsec;
	uint32_t device_major, device_minor;
	uint64_t size; /* bytes; regular files only */
	char *target;  /* symbolic links only */
	size_t xattr_count, xattr_room;
	struct xattr *xattrs; /* ascending by name */
	struct content content;
	bool opaque;     /* a directory that hides what the layers below have there */
	bool implied;    /* a directory that no entry of its layer describes */
	uint32_t number; /* for whoever walks: 0 until then */
	uint64_t nid;    /* the inode's number in a finished erofs, for its check */
};

struct node {
	char *name; /* one component; "" for the root */
	struct node *parent;
	struct inode *inode; /* NULL: nothing but a whiteout */
	bool whiteout;       /* what the layers below have under this name is gone */
	void *children;      /* a tsearch(3) tree of nodes, by name */
	size_t child_count;
};

struct tree {
	struct node *root;
	size_t nodes;
};

void tree_init(struct tree *t);
void tree_free(struct tree *t);

struct node *node_child(const struct node *dir, const char *name);
struct node *node_add(struct tree *t, struct node *dir, const char *name);
/* With all that is below it. */
void node_remove(struct tree *t, struct node *node);
void node_remove_children(struct tree *t, struct node *dir);

/* Ascending by the bytes of their names; free() the array. */
struct node **node_children(const struct node *dir);

/* From the root, without a leading slash; allocated. */
char *node_path(const struct node *node);

/* By cleaned path; NULL where there is no such name. */
struct node *tree_find(const struct tree *t, const char *path);

struct inode *inode_new(mode_t mode);
/* A directory nobody describes: 0755, root's, the beginning of time. */
struct inode *inode_new_implied(void);
/* Everything but names, number, content and size. */
void inode_copy_attributes(struct inode *to, const struct inode *from);
void inode_set_xattr(struct inode *inode, const char *name, const void *value, size_t size);
void inode_remove_xattr(struct inode *inode, const char *name);
const struct xattr *inode_xattr(const struct inode *inode, const char *name);

/*
 * An inode belongs to its names and to whoever holds it: holding is one name more
 * for as long, and letting go of the last one frees. Releasing NULL does nothing.
 */
struct inode *inode_hold(struct inode *inode);
void inode_release(struct inode *inode);

static inline void cleanup_inode(struct inode **inode)
{
	inode_release(*inode);
}

/* Released when its variable goes out of scope. */
#define auto_inode __attribute__((cleanup(cleanup_inode)))

/* Bind a name to an inode, and let go of the one it had; NULL only lets go. */
void node_set_inode(struct node *node, struct inode *inode);

static inline bool node_is_directory(const struct node *node)
{
	return node->inode && S_ISDIR(node->inode->mode);
}

/* For whoever walks: no inode has a number or a nid any more. */
void tree_forget_numbers(const struct tree *t);

/* Visit a directory and all below it, parents first, in the order of names. */
int tree_walk(struct node *top, int (*visit)(struct node *node, void *context, struct err *e),
	      void *context, struct err *e);

#endif
