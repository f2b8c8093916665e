// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/tree/tar_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/base/write.h"
#include "image-build/tree/tar_header.h"

#define BUFFER_SIZE (256 << 10)

struct writer {
	int fd;
	uint8_t *buffer;
	size_t used;
	struct hasher hasher;
	_Atomic uint64_t *progress;
	uint32_t inodes;
	char **first_path; /* by inode number: what a hard link names */
	size_t first_room;
};

static int flush(struct writer *w, struct err *e)
{
	int r = write_all(w->fd, w->buffer, w->used);

	if (r)
		return system_result(e, r, "write the canonical tar");
	hasher_add(&w->hasher, w->buffer, w->used);
	if (w->progress)
		atomic_fetch_add(w->progress, w->used);
	w->used = 0;
	return 0;
}

/* bytes == NULL: zeroes. */
static int put(struct writer *w, const void *bytes, size_t size, struct err *e)
{
	const uint8_t *at = bytes;

	while (size) {
		size_t n = BUFFER_SIZE - w->used < size ? BUFFER_SIZE - w->used : size;

		if (at)
			memcpy(w->buffer + w->used, at, n);
		else
			memset(w->buffer + w->used, 0, n);
		at = at ? at + n : NULL;
		size -= n;
		w->used += n;
		if (w->used == BUFFER_SIZE) {
			int r = flush(w, e);

			if (r)
				return r;
		}
	}
	return 0;
}

static int put_padding(struct writer *w, uint64_t size, struct err *e)
{
	return put(w, NULL, (TAR_BLOCK - size % TAR_BLOCK) % TAR_BLOCK, e);
}

static int put_header(struct writer *w, char type, mode_t mode, uint64_t size,
		      const struct inode *inode, struct err *e)
{
	union {
		struct tar_ustar field;
		uint8_t bytes[TAR_BLOCK];
	} h = { .bytes = { 0 } };
	unsigned int sum = 0;

	_Static_assert(sizeof(h) == TAR_BLOCK, "a header is one block");
	/* Names and what does not fit here are in the pax header; some readers want some name. */
	memcpy(h.field.name, "./", 2);
	if (type == '1' || type == '2')
		memcpy(h.field.link, "./", 2);
	snprintf(h.field.mode, sizeof(h.field.mode), "%07o", mode & 07777);
	snprintf(h.field.uid, sizeof(h.field.uid), "%07o", 0);
	snprintf(h.field.gid, sizeof(h.field.gid), "%07o", 0);
	snprintf(h.field.size, sizeof(h.field.size), "%011" PRIo64, size & 077777777777);
	snprintf(h.field.mtime, sizeof(h.field.mtime), "%011o", 0);
	memset(h.field.checksum, ' ', sizeof(h.field.checksum));
	h.field.type = type;
	memcpy(h.field.magic, "ustar", 6);
	memcpy(h.field.version, "00", 2);
	if (inode) {
		bool device = inode_is_device(inode);

		snprintf(h.field.device_major, sizeof(h.field.device_major), "%07o",
			 device ? inode->device_major & 07777777 : 0);
		snprintf(h.field.device_minor, sizeof(h.field.device_minor), "%07o",
			 device ? inode->device_minor & 07777777 : 0);
	}
	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += h.bytes[i];
	snprintf(h.field.checksum, sizeof(h.field.checksum), "%06o", sum);
	return put(w, h.bytes, TAR_BLOCK, e);
}

struct records {
	char *text;
	size_t used, room;
};

static void append(struct records *p, const void *bytes, size_t size)
{
	while (p->room - p->used < size)
		p->text = memory_grow(p->text, p->room, &p->room, 1);
	memcpy(p->text + p->used, bytes, size);
	p->used += size;
}

/* "<length> <key>=<value>\n", where the length counts its own digits. */
static void add_record(struct records *p, const char *key, const void *value, size_t size)
{
	size_t rest = 1 + strlen(key) + 1 + size + 1, total = rest + 1;
	char text[32];

	while ((size_t)snprintf(text, sizeof(text), "%zu", total) + rest != total)
		total = (size_t)snprintf(text, sizeof(text), "%zu", total) + rest;
	append(p, text, strlen(text));
	append(p, " ", 1);
	append(p, key, strlen(key));
	append(p, "=", 1);
	append(p, value, size);
	append(p, "\n", 1);
}

static void add_number(struct records *p, const char *key, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	add_record(p, key, text, strlen(text));
}

static void add_attributes(struct records *p, const struct inode *inode)
{
	char text[64];

	add_number(p, "uid", inode->uid);
	add_number(p, "gid", inode->gid);
	snprintf(text, sizeof(text), "%" PRId64 ".%09" PRIu32, inode->mtime_sec, inode->mtime_nsec);
	add_record(p, "mtime", text, strlen(text));
	for (size_t i = 0; i < inode->xattr_count; i++) {
		char *key auto_text = memory_printf("SCHILY.xattr.%s", inode->xattrs[i].name);

		add_record(p, key, inode->xattrs[i].value, inode->xattrs[i].size);
	}
}

static char type_of(const struct inode *inode)
{
	switch (inode->mode & S_IFMT) {
	case S_IFDIR:
		return '5';
	case S_IFLNK:
		return '2';
	case S_IFCHR:
		return '3';
	case S_IFBLK:
		return '4';
	case S_IFIFO:
		return '6';
	default:
		return '0';
	}
}

static int put_content(struct writer *w, const struct inode *inode, struct err *e)
{
	char *buf auto_text = memory_zero(1, BUFFER_SIZE);
	uint64_t at = 0;

	while (at < inode->size) {
		ssize_t n = content_read(&inode->content, inode->size, buf, BUFFER_SIZE, at, e);
		int r = n < 0 ? (int)n : put(w, buf, (size_t)n, e);

		if (r)
			return r;
		at += (uint64_t)n;
	}
	return put_padding(w, inode->size, e);
}

static void remember(struct writer *w, struct inode *inode, const char *path)
{
	inode->number = ++w->inodes;
	while (w->first_room <= inode->number)
		w->first_path = memory_grow(w->first_path, w->first_room, &w->first_room,
					    sizeof(*w->first_path));
	w->first_path[inode->number] = memory_text(path);
}

static int put_node(struct node *node, void *context, struct err *e)
{
	struct writer *w = context;
	struct inode *inode = node->inode;
	struct records pax = { .text = NULL };
	char *below auto_text = node_path(node);
	char *path auto_text = memory_printf("./%s", below);
	bool link = inode->number != 0;
	int r;

	add_record(&pax, "path", path, strlen(path));
	if (link) {
		add_record(&pax, "linkpath", w->first_path[inode->number],
			   strlen(w->first_path[inode->number]));
	} else {
		remember(w, inode, path);
		add_attributes(&pax, inode);
		if (S_ISLNK(inode->mode))
			add_record(&pax, "linkpath", inode->target, strlen(inode->target));
		if (S_ISREG(inode->mode))
			add_number(&pax, "size", inode->size);
	}
	r = put_header(w, 'x', 0644, pax.used, NULL, e);
	if (!r)
		r = put(w, pax.text, pax.used, e);
	if (!r)
		r = put_padding(w, pax.used, e);
	free(pax.text);
	if (!r)
		r = put_header(w, link ? '1' : type_of(inode), inode->mode,
			       link || !S_ISREG(inode->mode) ? 0 : inode->size, inode, e);
	if (!r && !link && S_ISREG(inode->mode))
		r = put_content(w, inode, e);
	return r;
}

static int forget_number(struct node *node, void *context, struct err *e)
{
	(void)context;
	(void)e;
	node->inode->number = 0;
	return 0;
}

int tar_write(const struct tree *t, int fd, struct digest *ret, _Atomic uint64_t *progress,
	      struct err *e)
{
	struct writer w = { .fd = fd, .progress = progress };
	int r;

	w.buffer = memory_zero(1, BUFFER_SIZE);
	hasher_start(&w.hasher, "sha256");
	tree_walk(t->root, forget_number, NULL, NULL);
	r = tree_walk(t->root, put_node, &w, e);
	if (!r)
		r = put(&w, NULL, (size_t)(2 * TAR_BLOCK), e);
	if (!r)
		r = flush(&w, e);
	if (!r)
		hasher_finish(&w.hasher, ret);
	hasher_stop(&w.hasher);
	for (uint32_t i = 1; i <= w.inodes; i++)
		free(w.first_path[i]);
	free(w.first_path);
	free(w.buffer);
	return r;
}

static int add_size(struct node *node, void *context, struct err *e)
{
	uint64_t *size = context;

	(void)e;
	*size += (uint64_t)(3 * TAR_BLOCK);
	if (node->inode && S_ISREG(node->inode->mode))
		*size += node->inode->size / node->inode->names;
	return 0;
}

uint64_t tar_size_estimate(const struct tree *t)
{
	uint64_t size = 0;

	tree_walk(t->root, add_size, &size, NULL);
	return size;
}
