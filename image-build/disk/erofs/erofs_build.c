// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/disk/erofs/erofs_build.h"

#include <string.h>

#include "image-build/base/refuse.h"
#include "image-build/base/write.h"
#include "image-build/disk/erofs/erofs_item.h"
#include "image-build/disk/erofs/erofs_plan.h"
#include "image-build/disk/erofs/erofs_walk.h"
#include "image-build/disk/erofs/erofs_window.h"
#include "image-build/disk/erofs/erofs_xattrs.h"
#include "lib/le.h"

_Static_assert(EROFS_WINDOW_BACK >= EROFS_SPACE_BACK + EROFS_WINDOW_PIECE,
	       "what is given out late can still be written");

/* Entries of an index that are written at once. */
#define INDEX_PIECE 1024

struct build {
	const struct erofs_plan *plan;
	struct erofs_window own;    /* the blocks of directories and long links */
	struct erofs_window inodes; /* inodes and what follows them */
	uint32_t own_used;          /* blocks */
	uint32_t written;           /* inodes */
};

/* --- one inode --------------------------------------------------------------- */

static uint64_t place_of(const struct inode *inode)
{
	return (inode->nid - EROFS_FIRST_NID) * EROFS_SLOT;
}

/* Where the tail goes, or the index. */
static uint64_t place_behind(const struct inode *inode, const struct erofs_item *item)
{
	return place_of(inode) + EROFS_INODE_BYTES + item->fields.xattr_bytes;
}

static int put_inode(struct build *b, const struct inode *inode, struct erofs_item *item,
		     struct err *e)
{
	size_t size = EROFS_INODE_BYTES + item->fields.xattr_bytes;
	uint8_t *at;
	int r = erofs_window_at(&b->inodes, place_of(inode), size, &at, e);

	if (r)
		return r;
	if (item->blocks)
		item->fields.where = b->plan->data_blocks + b->own_used;
	erofs_encode_inode(at, &item->fields);
	erofs_xattrs_put(inode, at + EROFS_INODE_BYTES);
	b->written++;
	return 0;
}

static int put_index(struct build *b, const struct inode *inode, const struct erofs_item *item,
		     struct err *e)
{
	struct erofs_index x = { .content = &inode->content, .chunk_bits = item->chunk_bits };
	uint64_t to = place_behind(inode, item), left = item->chunks;
	int r = 0;

	while (!r && left) {
		size_t n = left < INDEX_PIECE ? (size_t)left : INDEX_PIECE;
		uint8_t *at;

		r = erofs_window_at(&b->inodes, to, 4 * n, &at, e);
		for (size_t i = 0; !r && i < n; i++)
			le_put(at + 4 * i, 4, erofs_index_next(&x));
		to += 4 * n;
		left -= n;
	}
	return r;
}

/* --- what it holds ------------------------------------------------------------- */

/* The next block of those that directories and long links have. */
static int own_block(struct build *b, uint8_t **ret, struct err *e)
{
	return erofs_window_at(&b->own, (uint64_t)b->own_used++ * EROFS_BLOCK, EROFS_BLOCK, ret, e);
}

static int tail_behind(struct build *b, const struct inode *inode, const struct erofs_item *item,
		       uint8_t **ret, struct err *e)
{
	return erofs_window_at(&b->inodes, place_behind(inode, item), item->tail, ret, e);
}

static int put_entries(struct build *b, const struct erofs_dir *d, const struct erofs_item *item,
		       struct err *e)
{
	size_t first = 0, bytes;
	uint8_t *at;
	int r = 0;

	for (uint32_t i = 0; !r && i < item->blocks; i++) {
		r = own_block(b, &at, e);
		if (!r)
			first = erofs_dir_block(d, first, at, &bytes);
	}
	if (!r && item->tail) {
		r = tail_behind(b, d->node->inode, item, &at, e);
		if (!r)
			erofs_dir_block(d, first, at, &bytes);
	}
	return r;
}

static int build_directory(const struct erofs_dir *d, void *context, struct err *e)
{
	struct build *b = context;
	struct erofs_item item;
	int r = erofs_item_directory(d, &item, e);

	if (!r)
		r = put_inode(b, d->node->inode, &item, e);
	return r ? r : put_entries(b, d, &item, e);
}

/* A link's target, less than a block in any case. */
static int put_target(struct build *b, const struct inode *inode, const struct erofs_item *item,
		      struct err *e)
{
	uint8_t *at;
	int r = item->blocks ? own_block(b, &at, e) : tail_behind(b, inode, item, &at, e);

	if (!r)
		memcpy(at, inode->target, strlen(inode->target));
	return r;
}

static int put_tail(struct build *b, const struct inode *inode, const struct erofs_item *item,
		    struct err *e)
{
	uint8_t *at;
	int r = tail_behind(b, inode, item, &at, e);

	return r ? r : content_read_tail(&inode->content, inode->size, at, e);
}

static int build_other(const struct node *node, void *context, struct err *e)
{
	const struct inode *inode = node->inode;
	struct build *b = context;
	struct erofs_item item;
	int r;

	if (inode->number <= b->written)
		return 0; /* another name of an inode that stands there */
	r = erofs_item_other(inode, b->plan->data_blocks, &item, e);
	if (!r)
		r = put_inode(b, inode, &item, e);
	if (!r && S_ISLNK(inode->mode))
		r = put_target(b, inode, &item, e);
	else if (!r && item.tail)
		r = put_tail(b, inode, &item, e);
	else if (!r)
		r = put_index(b, inode, &item, e);
	return r;
}

/* --- all of it ----------------------------------------------------------------- */

static int write_metadata(const struct tree *t, int fd, struct build *b, struct err *e)
{
	const struct erofs_visitor build = { build_directory, build_other, b };
	uint64_t own_at = (uint64_t)b->plan->data_blocks * EROFS_BLOCK;
	uint64_t own_size = (uint64_t)b->plan->own_blocks * EROFS_BLOCK;
	int r;

	erofs_window_open(&b->own, fd, own_at);
	erofs_window_open(&b->inodes, fd, own_at + own_size);
	r = erofs_walk(t->root, &build, e);
	if (!r)
		r = erofs_window_finish(&b->own, own_size, e);
	if (!r)
		r = erofs_window_finish(&b->inodes, (uint64_t)b->plan->inode_blocks * EROFS_BLOCK,
					e);
	erofs_window_close(&b->own);
	erofs_window_close(&b->inodes);
	return r;
}

static int write_super(const struct tree *t, int fd, const struct erofs_plan *p,
		       const uint8_t uuid[UUID_SIZE], struct err *e)
{
	struct erofs_super s = {
		.root_nid = (uint16_t)t->root->inode->nid,
		.inodes = p->inodes,
		.blocks = p->data_blocks + p->own_blocks + p->inode_blocks,
		.metadata_block = p->data_blocks + p->own_blocks - 1,
		.chunks = p->chunks,
		.filters = p->filters,
	};
	uint8_t block[EROFS_BLOCK];
	int r;

	memcpy(s.uuid, uuid, UUID_SIZE);
	erofs_encode_super(block, &s);
	r = write_all_at(fd, block, sizeof(block), 0);
	return r ? system_result(e, r, "write the erofs") : 0;
}

int erofs_build(const struct tree *t, int fd, uint64_t data_end, const uint8_t uuid[UUID_SIZE],
		uint64_t *ret_size, struct err *e)
{
	struct erofs_plan plan;
	struct build b = { .plan = &plan };
	int r;

	if (data_end < EROFS_BLOCK || data_end % EROFS_BLOCK)
		return refuse(e, "contents that end at byte %llu", (unsigned long long)data_end);
	if (data_end / EROFS_BLOCK > UINT32_MAX)
		return refuse_limit(e, "contents of %llu blocks, at most %u",
				    (unsigned long long)(data_end / EROFS_BLOCK), UINT32_MAX);
	r = erofs_plan_make(t, (uint32_t)(data_end / EROFS_BLOCK), &plan, e);
	if (!r)
		r = write_metadata(t, fd, &b, e);
	/* The superblock last: what is half written is no erofs. */
	if (!r)
		r = write_super(t, fd, &plan, uuid, e);
	if (!r)
		*ret_size =
			data_end + ((uint64_t)plan.own_blocks + plan.inode_blocks) * EROFS_BLOCK;
	return r;
}
