// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/disk/contents.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/base/write.h"
#include "lib/io.h"

#define COPY_BYTES (1 << 20)
/* So much is moved before the place that it leaves is given back. */
#define GIVE_BACK_BYTES ((uint64_t)64 << 20)

struct packing {
	struct store *to;
	size_t count, room;
	struct inode **files; /* each inode once */
	uint64_t own_blocks;  /* of those in the store */
	uint32_t at;          /* where the next one goes */
	bool give_back;
	uint64_t returned; /* bytes of the store under way that were given back */
	uint8_t *buffer;
};

static int collect(struct node *node, void *context, struct err *e)
{
	struct inode *inode = node->inode;
	struct packing *p = context;

	(void)e;
	if (!inode || !S_ISREG(inode->mode) || !inode->content.store || inode->number)
		return 0;
	inode->number = 1;
	p->files = memory_grow(p->files, p->count, &p->room, sizeof(*p->files));
	p->files[p->count++] = inode;
	if (inode->content.store == p->to)
		p->own_blocks += content_blocks(&inode->content, inode->size);
	return 0;
}

/* Those in the store that is packed come first: they move towards its beginning. */
static int by_place(const void *a, const void *b, void *context)
{
	const struct inode *const *i = a, *const *j = b;
	const struct content *x = &(*i)->content, *y = &(*j)->content;
	const struct packing *p = context;

	if ((x->store == p->to) != (y->store == p->to))
		return x->store == p->to ? -1 : 1;
	if (x->store != y->store)
		return x->store < y->store ? -1 : 1;
	if (x->block != y->block)
		return x->block < y->block ? -1 : 1;
	return x->tail < y->tail ? -1 : x->tail > y->tail;
}

static int copy_bytes(struct packing *p, int from, uint64_t at, uint64_t to, uint64_t size,
		      struct err *e)
{
	for (uint64_t done = 0; done < size;) {
		size_t n = size - done < COPY_BYTES ? (size_t)(size - done) : COPY_BYTES;
		ssize_t got = io_pread(from, p->buffer, n, at + done);
		int r = got == (ssize_t)n ? 0 : got < 0 ? (int)got : -EIO;

		if (!r)
			r = write_all_at(p->to->data.fd, p->buffer, n, to + done);
		if (r)
			return system_result(e, r, "move the contents of files");
		done += n;
	}
	return 0;
}

/* A file system that cannot do it keeps the bytes until the store is closed. */
static void give_back(struct packing *p, const struct store *from, uint64_t end)
{
	if (!p->give_back || from == p->to || end < p->returned + GIVE_BACK_BYTES)
		return;
	(void)!fallocate(from->data.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			 (off_t)p->returned, (off_t)(end - p->returned));
	p->returned = end;
}

static int move_blocks(struct packing *p, struct content *c, uint64_t file_size, struct err *e)
{
	uint32_t count = content_blocks(c, file_size);
	uint64_t at = (uint64_t)c->block * CONTENT_BLOCK;
	int r = 0;

	if (count > UINT32_MAX - p->at)
		return refuse_limit(e, "the files have more than 2^32 blocks");
	if (c->store != p->to || c->block != p->at)
		r = copy_bytes(p, c->store->data.fd, at, (uint64_t)p->at * CONTENT_BLOCK,
			       (uint64_t)count * CONTENT_BLOCK, e);
	if (!r)
		give_back(p, c->store, at + (uint64_t)count * CONTENT_BLOCK);
	c->block = p->at;
	p->at += count;
	return r;
}

static int move(struct packing *p, struct inode *inode, struct err *e)
{
	struct content *c = &inode->content;
	int r = move_blocks(p, c, inode->size, e);

	if (!r && c->store != p->to)
		r = content_move_tail(c, p->to, inode->size, e);
	c->store = p->to;
	return r;
}

static int move_all(struct packing *p, struct err *e)
{
	struct content from = { .store = NULL }, to = from;

	for (size_t i = 0; i < p->count; i++) {
		struct content *c = &p->files[i]->content;
		int r;

		if (from.store && from.store == c->store && from.block == c->block &&
		    from.tail == c->tail) {
			c->store = to.store;
			c->block = to.block;
			c->tail = to.tail;
			continue;
		}
		if (from.store != c->store)
			p->returned = 0;
		from = *c;
		r = move(p, p->files[i], e);
		if (r)
			return r;
		to = *c;
	}
	p->to->blocks = p->at;
	p->to->data.written = (uint64_t)p->at * CONTENT_BLOCK;
	return 0;
}

static bool is_packed(const struct packing *p)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->files[i]->content.store != p->to)
			return false;
	return p->own_blocks == p->to->blocks - p->to->first_block;
}

int contents_pack(const struct tree *t, struct store *to, bool give_back, struct err *e)
{
	struct packing p = { .to = to, .at = to->first_block, .give_back = give_back };
	int r = store_flush(to, e);

	tree_forget_numbers(t);
	if (!r)
		r = tree_walk(t->root, collect, &p, e);
	if (!r && !is_packed(&p)) {
		p.buffer = memory_zero(1, COPY_BYTES);
		if (p.count)
			qsort_r(p.files, p.count, sizeof(*p.files), by_place, &p);
		r = move_all(&p, e);
	}
	if (!r)
		r = store_flush(to, e);
	free(p.files);
	free(p.buffer);
	return r;
}
