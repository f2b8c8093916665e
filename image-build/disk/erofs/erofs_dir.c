// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/disk/erofs/erofs_dir.h"

#include <string.h>

#include "image-build/base/limits.h"
#include "image-build/base/refuse.h"
#include "image-build/disk/erofs/erofs_format.h"

struct entry {
	const char *name;
	const struct inode *inode;
};

/* How many children come before a name. */
static size_t position(const struct erofs_dir *d, const char *name)
{
	size_t low = 0, high = node_child_count(d->node);

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(d->children[middle]->name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void erofs_dir_open(struct erofs_dir *d, const struct node *node)
{
	*d = (struct erofs_dir){ .node = node, .count = node_child_count(node) + 2 };
	d->children = node_children(node);
	d->self = position(d, ".");
	d->parent = position(d, "..") + 1;
}

static struct entry entry_at(const struct erofs_dir *d, size_t i)
{
	const struct node *node = d->node, *child;

	if (i == d->self)
		return (struct entry){ ".", node->inode };
	if (i == d->parent) /* the root is its own */
		return (struct entry){ "..", node->parent ? node->parent->inode : node->inode };
	child = d->children[i - (i > d->self) - (i > d->parent)];
	return (struct entry){ child->name, child->inode };
}

/* How many entries from first on fit one block, and the bytes that they take. */
static size_t fill(const struct erofs_dir *d, size_t first, size_t *ret_bytes)
{
	size_t bytes = 0, i = first;

	for (; i < d->count; i++) {
		size_t more = EROFS_DIRENT_BYTES + strlen(entry_at(d, i).name);

		if (bytes + more > EROFS_BLOCK)
			break;
		bytes += more;
	}
	*ret_bytes = bytes;
	return i - first;
}

static int check_name(const struct node *child, struct err *e)
{
	size_t length = strlen(child->name);

	if (!length || length > LIMIT_NAME)
		return refuse_limit(e, "a name of %zu bytes, 1 to %d", length, LIMIT_NAME);
	return 0;
}

int erofs_dir_size(const struct erofs_dir *d, uint64_t *ret, struct err *e)
{
	uint64_t size = 0;
	size_t bytes;

	for (size_t i = 0; i < node_child_count(d->node); i++) {
		int r = check_name(d->children[i], e);

		if (r)
			return r;
	}
	for (size_t i = 0; i < d->count;) {
		i += fill(d, i, &bytes);
		size += i < d->count ? EROFS_BLOCK : bytes;
	}
	*ret = size;
	return 0;
}

size_t erofs_dir_block(const struct erofs_dir *d, size_t first, uint8_t *at, size_t *ret_bytes)
{
	size_t count = fill(d, first, ret_bytes);
	size_t name_at = count * EROFS_DIRENT_BYTES;

	for (size_t i = 0; i < count; i++) {
		struct entry x = entry_at(d, first + i);
		size_t length = strlen(x.name);

		erofs_encode_dirent(at + i * EROFS_DIRENT_BYTES, x.inode->nid, (uint16_t)name_at,
				    x.inode->mode);
		memcpy(at + name_at, x.name, length);
		name_at += length;
	}
	return first + count;
}
