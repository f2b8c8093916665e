// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/disk/erofs/erofs_plan.h"

#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/disk/erofs/erofs_item.h"
#include "image-build/disk/erofs/erofs_walk.h"

static int place(struct erofs_plan *p, struct inode *inode, const struct erofs_item *item,
		 struct err *e)
{
	uint64_t at = erofs_place(&p->space, erofs_item_fixed(item), item->tail);

	if (__builtin_add_overflow(p->own_blocks, item->blocks, &p->own_blocks) ||
	    __builtin_add_overflow(p->inodes, 1, &p->inodes))
		return refuse_limit(e, "more than 2^32 blocks of directories, or inodes");
	inode->nid = EROFS_FIRST_NID + at / EROFS_SLOT;
	inode->number = p->inodes;
	p->chunks |= item->fields.layout == EROFS_CHUNKS;
	p->filters |= item->fields.xattr_bytes > 0;
	return 0;
}

static int name_it(const struct node *node, int r, struct err *e)
{
	char *path auto_text = r ? node_path(node) : NULL;

	return err_prefix(e, r, "\"%.150s\": ", r ? path : "");
}

static int plan_directory(const struct erofs_dir *d, void *context, struct err *e)
{
	struct erofs_item item;
	int r = erofs_item_directory(d, &item, e);

	if (!r)
		r = place(context, d->node->inode, &item, e);
	return name_it(d->node, r, e);
}

static int plan_other(const struct node *node, void *context, struct err *e)
{
	struct erofs_plan *p = context;
	struct erofs_item item;
	int r;

	if (node->inode->nid)
		return 0; /* another name of an inode that has its place */
	r = erofs_item_other(node->inode, p->data_blocks, &item, e);
	if (!r)
		r = place(p, node->inode, &item, e);
	return name_it(node, r, e);
}

/* The blocks are counted by 32 bits, of which one value means none. */
static int check_size(struct erofs_plan *p, struct err *e)
{
	uint64_t inode_blocks = p->space.end / EROFS_BLOCK;
	uint64_t blocks = (uint64_t)p->data_blocks + p->own_blocks + inode_blocks;

	if (blocks > UINT32_MAX)
		return refuse_limit(e, "an erofs of %llu blocks, at most %u",
				    (unsigned long long)blocks, UINT32_MAX);
	p->inode_blocks = (uint32_t)inode_blocks;
	return 0;
}

int erofs_plan_make(const struct tree *t, uint32_t data_blocks, struct erofs_plan *ret,
		    struct err *e)
{
	struct erofs_plan p = { .data_blocks = data_blocks };
	const struct erofs_visitor plan = { plan_directory, plan_other, &p };
	int r;

	tree_forget_numbers(t);
	r = erofs_walk(t->root, &plan, e);
	if (!r)
		r = check_size(&p, e);
	if (!r)
		*ret = p;
	return r;
}
