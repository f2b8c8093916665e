/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_TREE_CHILDREN_H
#define IMAGE_BUILD_TREE_CHILDREN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A name: see image-build/tree/tree.h. */
struct node {
	struct node *parent;
	struct inode *inode;       /* NULL: nothing but a whiteout */
	struct children *children; /* NULL: never had any */
	uint32_t hash;             /* children_hash() of the name */
	bool whiteout;             /* what the layers below have under this name is gone */
	char name[];               /* one component; "" for the root */
};

/*
 * The names of one directory. While some are added or taken out they are a hash
 * table: open addressing, at most two thirds full, so that a name is found after a
 * few slots however many there are. The hash has a key that is another in every
 * process, so nobody can choose names that share their slots. As soon as somebody
 * wants the names in order they are a sorted array, until the next change.
 */
struct children {
	struct node **slots;
	uint32_t count; /* of names */
	uint32_t room;  /* of slots: as many when sorted, else a power of two, some of them NULL */
	bool sorted;
};

/* What a node's hash must be. */
uint32_t children_hash(const char *name, size_t size);

/* By a name of size bytes; NULL where there is none. */
struct node *children_find(const struct children *c, const char *name, size_t size);

/* The node's name must not be there yet. */
void children_add(struct children *c, struct node *node);
void children_remove(struct children *c, const struct node *node);
/* In the place of another node of the same name. */
void children_replace(struct children *c, const struct node *old, struct node *node);

/* All of them, ascending by the bytes of their names; valid until the next change. */
struct node **children_sort(struct children *c);

/* Take any one out, until all are gone (NULL): nothing else may be done in between. */
struct node *children_pop(struct children *c);

#endif
