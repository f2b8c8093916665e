// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/image-build/image_tar.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "image-build/tree/layer_read.h"
#include "image-build/tree/resolve.h"
#include "tests/unit/unit.h"

#define BLOCK 512

void bytes_add(struct bytes *b, const void *from, size_t size)
{
	while (b->room - b->size < size) {
		b->room = b->room ? 2 * b->room : 4096;
		b->at = realloc(b->at, b->room);
		assert_non_null(b->at);
	}
	if (from)
		memcpy(b->at + b->size, from, size);
	else
		memset(b->at + b->size, 0, size);
	b->size += size;
}

void bytes_free(struct bytes *b)
{
	free(b->at);
	*b = (struct bytes){ .at = NULL };
}

void tar_end(struct bytes *b, size_t blocks)
{
	bytes_add(b, NULL, blocks * BLOCK);
}

static void add_block(struct bytes *b, const struct member *m, char type, unsigned int mode,
		      size_t size)
{
	uint8_t header[BLOCK] = { 0 };
	char *h = (char *)header;
	unsigned int sum = 0;

	snprintf(h, 100, "%s", m->name);
	snprintf(h + 100, 8, "%07o", mode);
	snprintf(h + 108, 8, "%07o", m->uid);
	snprintf(h + 116, 8, "%07o", 0);
	snprintf(h + 124, 12, "%011zo", size);
	snprintf(h + 136, 12, "%011o", m->mtime);
	memset(h + 148, ' ', 8);
	h[156] = type == TYPE_NUL ? 0 : type;
	if (m->link)
		snprintf(h + 157, 100, "%s", m->link);
	memcpy(h + 257, "ustar\00000", 8);
	snprintf(h + 329, 8, "%07o", m->major);
	snprintf(h + 337, 8, "%07o", m->minor);
	/* Not of a pax header that stands before the member. */
	for (size_t i = 0; type == (m->type ? m->type : '0') && i < PATCHES_MAX; i++)
		if (m->patches[i].size)
			memcpy(h + m->patches[i].at, m->patches[i].bytes, m->patches[i].size);
	for (size_t i = 0; i < BLOCK; i++)
		sum += header[i];
	snprintf(h + 148, 8, "%06o", sum);
	bytes_add(b, header, BLOCK);
}

static void add_padded(struct bytes *b, const char *data, size_t size)
{
	bytes_add(b, data, size);
	bytes_add(b, NULL, (BLOCK - size % BLOCK) % BLOCK);
}

static void add_pax(struct bytes *b, const struct member *m, const char *records)
{
	add_block(b, m, 'x', 0644, strlen(records));
	add_padded(b, records, strlen(records));
}

static void add_xattr(struct bytes *b, const struct member *m)
{
	size_t rest = strlen(m->xattr) + strlen(" SCHILY.xattr.\n"), size = rest + 2;
	char text[1024];

	snprintf(text, sizeof(text), "%zu SCHILY.xattr.%s\n", size, m->xattr);
	assert_int_equal(strlen(text), size);
	add_pax(b, m, text);
}

void tar_add(struct bytes *b, const struct member *members)
{
	for (const struct member *m = members; m->name; m++) {
		char type = m->type ? m->type : '0';
		unsigned int mode = m->mode ? m->mode : type == '5' ? 0755 : 0644;
		size_t size = m->data_size ? m->data_size : m->data ? strlen(m->data) : 0;

		if (m->pax)
			add_pax(b, m, m->pax);
		if (m->xattr)
			add_xattr(b, m);
		add_block(b, m, type, mode, size);
		if (size)
			add_padded(b, m->data, size);
	}
}

int bytes_open(const struct bytes *b)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, b->at ? b->at : (const uint8_t *)"", b->size), b->size);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

int add_changes(struct layer *l, const struct bytes *b, struct err *e)
{
	int fd = bytes_open(b), r;
	struct blob blob;

	store_open(&l->store, memfd_create("store", MFD_CLOEXEC),
		   memfd_create("tails", MFD_CLOEXEC), 1);
	r = blob_open(&blob, fd, COMPRESSION_NONE, "sha256", "sha256", NULL, e);
	if (!r)
		r = layer_read(l, &blob, e);
	blob_close(&blob);
	close(fd);
	return r;
}

int read_changes(struct layer *l, const struct bytes *b, struct err *e)
{
	layer_init(l);
	return add_changes(l, b, e);
}

int read_tar(struct layer *l, const struct bytes *b, struct err *e)
{
	int r = read_changes(l, b, e);

	return r ? r : resolve_layer(l, 0, e);
}

int read_members(struct layer *l, const struct member *members, struct err *e)
{
	struct bytes b = { .at = NULL };
	int r;

	tar_add(&b, members);
	tar_end(&b, 2);
	r = read_tar(l, &b, e);
	bytes_free(&b);
	return r;
}

int read_layers(struct layer *layers, size_t count, const struct member *const *members,
		struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < count; i++)
		layer_init(&layers[i]);
	for (size_t i = 0; !r && i < count; i++) {
		struct bytes b = { .at = NULL };

		tar_add(&b, members[i]);
		tar_end(&b, 2);
		layer_free(&layers[i]);
		r = read_changes(&layers[i], &b, e);
		if (!r)
			r = resolve_layer(layers, i, e);
		bytes_free(&b);
	}
	return r;
}

static void add_rest(FILE *f, const struct inode *inode)
{
	char content[65] = "";

	switch (inode->mode & S_IFMT) {
	case S_IFREG:
		assert_true(content_read(&inode->content, inode->size, content, sizeof(content) - 1,
					 0, NULL) >= 0);
		fprintf(f, " \"%s\"", content);
		break;
	case S_IFLNK:
		fprintf(f, " -> %s", inode->target);
		break;
	case S_IFCHR:
	case S_IFBLK:
		fprintf(f, " %u:%u", inode->device_major, inode->device_minor);
		break;
	case S_IFDIR:
		fprintf(f, "%s", inode->opaque ? " opaque" : "");
		break;
	}
}

static int add_line(struct node *node, void *context, struct err *e)
{
	const struct inode *inode = node->inode;
	char *path = node_path(node);
	FILE *f = context;

	(void)e;
	fprintf(f, "/%s", path);
	free(path);
	if (!inode) {
		fprintf(f, " whiteout\n");
		return 0;
	}
	fprintf(f, " %o %u %lld", inode->mode, inode->uid, (long long)inode->mtime_sec);
	add_rest(f, inode);
	if (inode->names != 1)
		fprintf(f, " =%u", inode->names);
	for (size_t i = 0; i < inode->xattr_count; i++)
		fprintf(f, " {%s=%.*s}", inode->xattrs[i].name, (int)inode->xattrs[i].size,
			(const char *)inode->xattrs[i].value);
	fprintf(f, "\n");
	return 0;
}

char *tree_text(const struct tree *t)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	tree_walk(t->root, add_line, f, NULL);
	fclose(f);
	return text;
}
