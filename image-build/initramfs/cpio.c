// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/initramfs/cpio.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"

#define HEADER_SIZE 110
#define CHUNK       (128 << 10)

struct writer {
	struct sink *sink;
	const struct node *later; /* not yet */
	uint32_t inodes;
};

/* The twelve fields behind the magic, and the name. */
struct entry {
	uint32_t number, mode, links, size, device_major, device_minor;
	const char *name;
};

static int put_padding(struct sink *s, uint64_t unit, struct err *e)
{
	static const char zeroes[512];

	return sink_put(s, zeroes, (size_t)((unit - s->size % unit) % unit), e);
}

static int put_entry(struct sink *s, const struct entry *x, struct err *e)
{
	char header[HEADER_SIZE + 1];
	int r;

	snprintf(header, sizeof(header),
		 "070701%08" PRIX32 "%08" PRIX32 "%08X%08X%08" PRIX32 "%08X%08" PRIX32
		 "%08X%08X%08" PRIX32 "%08" PRIX32 "%08X%08X",
		 x->number, x->mode, 0, 0, x->links, 0, x->size, 0, 0, x->device_major,
		 x->device_minor, (unsigned int)strlen(x->name) + 1, 0);
	r = sink_put(s, header, HEADER_SIZE, e);
	if (!r)
		r = sink_put(s, x->name, strlen(x->name) + 1, e);
	if (!r)
		r = put_padding(s, 4, e);
	return r;
}

static int put_content(struct sink *s, const struct inode *inode, struct err *e)
{
	char *buf auto_text = memory_zero(1, CHUNK);
	uint64_t at = 0;

	while (at < inode->size) {
		ssize_t n = content_read(&inode->content, inode->size, buf, CHUNK, at, e);
		int r = n < 0 ? (int)n : sink_put(s, buf, (size_t)n, e);

		if (r)
			return r;
		at += (uint64_t)n;
	}
	return put_padding(s, 4, e);
}

static uint32_t subdirectories(const struct node *dir)
{
	struct node *const *children = node_children(dir);
	uint32_t count = 0;

	for (size_t i = 0; i < node_child_count(dir); i++)
		count += node_is_directory(children[i]);
	return count;
}

/* nid counts the names of an inode that have been written. */
static int put_node(struct node *node, void *context, struct err *e)
{
	struct writer *w = context;
	struct inode *inode = node->inode;
	char *path auto_text = node_path(node);
	bool directory = node_is_directory(node);
	bool last;
	struct entry x;
	int r;

	if (!node->parent || node == w->later)
		return 0;
	if (S_ISREG(inode->mode) && inode->size > UINT32_MAX)
		return refuse_limit(e, "%s: cpio's files have 4 GiB at most", path);
	if (!inode->number)
		inode->number = ++w->inodes;
	last = ++inode->nid == inode->names;
	x = (struct entry){
		.number = inode->number,
		.mode = inode->mode,
		.links = directory ? 2 + subdirectories(node) : inode->names,
		.size = S_ISREG(inode->mode) && last ? (uint32_t)inode->size : 0,
		.name = path,
	};
	if (inode_is_device(inode)) {
		x.device_major = inode->device_major;
		x.device_minor = inode->device_minor;
	}
	if (S_ISLNK(inode->mode) && last)
		x.size = (uint32_t)strlen(inode->target);
	r = put_entry(w->sink, &x, e);
	if (r || !x.size)
		return r;
	if (!S_ISLNK(inode->mode))
		return put_content(w->sink, inode, e);
	r = sink_put(w->sink, inode->target, strlen(inode->target), e);
	return r ? r : put_padding(w->sink, 4, e);
}

int cpio_write(const struct tree *t, struct node *last, struct sink *s, struct err *e)
{
	static const struct entry trailer = { .links = 1, .name = "TRAILER!!!" };
	struct writer w = { .sink = s, .later = last };
	int r;

	tree_forget_numbers(t);
	r = tree_walk(t->root, put_node, &w, e);
	w.later = NULL;
	if (!r && last)
		r = put_node(last, &w, e);
	if (!r)
		r = put_entry(s, &trailer, e);
	if (!r)
		r = put_padding(s, 512, e);
	return r;
}
