// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/disk/erofs/erofs_item.h"

#include <string.h>

#include "image-build/base/refuse.h"
#include "image-build/disk/erofs/erofs_space.h"
#include "image-build/disk/erofs/erofs_xattrs.h"

uint64_t erofs_item_fixed(const struct erofs_item *item)
{
	return EROFS_INODE_BYTES + item->fields.xattr_bytes + 4 * item->chunks;
}

/* What every inode has. */
static int begin(const struct inode *inode, uint32_t links, struct erofs_item *item, struct err *e)
{
	*item = (struct erofs_item){
		.fields = {
			.layout = EROFS_PLAIN,
			.mode = inode->mode,
			.uid = inode->uid,
			.gid = inode->gid,
			.links = links,
			.number = inode->number,
			.mtime_sec = inode->mtime_sec,
			.mtime_nsec = inode->mtime_nsec,
		},
	};
	return erofs_xattrs_size(inode, &item->fields.xattr_bytes, e);
}

/* Bytes of our own: whole blocks, and the rest behind the inode if that is not too much. */
static int put_size(uint64_t size, struct erofs_item *item, struct err *e)
{
	uint64_t blocks = size / EROFS_BLOCK;
	uint32_t tail = (uint32_t)(size % EROFS_BLOCK);

	item->fields.size = size;
	if (tail > EROFS_TAIL_MAX) {
		blocks++;
		tail = 0;
	}
	if (tail)
		item->fields.layout = EROFS_INLINE;
	if (blocks > UINT32_MAX)
		return refuse_limit(e, "a directory of %llu bytes", (unsigned long long)size);
	item->tail = tail;
	item->blocks = (uint32_t)blocks;
	return 0;
}

/* "..", of each directory in it, leads here too. */
static uint32_t count_links(const struct erofs_dir *d)
{
	uint32_t links = 2;

	for (size_t i = 0; i < node_child_count(d->node); i++)
		links += node_is_directory(d->children[i]);
	return links;
}

int erofs_item_directory(const struct erofs_dir *d, struct erofs_item *ret, struct err *e)
{
	uint64_t size = 0;
	int r = begin(d->node->inode, count_links(d), ret, e);

	if (!r)
		r = erofs_dir_size(d, &size, e);
	return r ? r : put_size(size, ret, e);
}

static int put_file(const struct inode *inode, uint32_t data_blocks, struct erofs_item *item,
		    struct err *e)
{
	struct erofs_file file;
	int r = erofs_file_look(inode, data_blocks, &file, e);

	if (r)
		return r;
	item->fields.size = inode->size;
	item->fields.layout = file.layout;
	item->fields.where =
		file.layout == EROFS_CHUNKS ? erofs_chunk_format(file.chunk_bits) : file.block;
	item->tail = file.tail;
	item->chunks = file.chunks;
	item->chunk_bits = file.chunk_bits;
	return 0;
}

int erofs_item_other(const struct inode *inode, uint32_t data_blocks, struct erofs_item *ret,
		     struct err *e)
{
	int r = begin(inode, inode->names, ret, e);

	if (r)
		return r;
	switch (inode->mode & S_IFMT) {
	case S_IFREG:
		return put_file(inode, data_blocks, ret, e);
	case S_IFLNK:
		return put_size(strlen(inode->target), ret, e);
	case S_IFCHR:
	case S_IFBLK:
		ret->fields.where = erofs_device_number(inode->device_major, inode->device_minor);
		return 0;
	case S_IFIFO:
	case S_IFSOCK:
		return 0;
	default:
		return refuse(e, "a file of type %o", inode->mode & S_IFMT);
	}
}
