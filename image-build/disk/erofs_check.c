// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <erofs/dir.h>
#include <erofs/internal.h>
#include <erofs/xattr.h>

#include "image-build/disk/erofs_image.h"
#include "image-build/base/checksum.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"

#define CHUNK (256 << 10)

struct check {
	struct erofs_sb_info sbi;
	uint64_t inodes; /* different ones that the tree has */
	char *found;
	struct erofs_map_blocks map;
};

/* Go through one directory of the disk; ctx must stay first, liberofs hands it back. */
struct listing {
	struct erofs_dir_context ctx;
	const struct node *node;
	size_t names;
};

static int differs(struct err *e, const struct node *node, const char *what)
{
	char *path auto_text = node_path(node);

	return refuse(e, "the erofs just written differs from its source: \"%.200s\": %s", path,
		      what);
}

/* Match one entry of a directory with the tree, and remember its inode number. */
static int match_entry(struct erofs_dir_context *ctx)
{
	struct listing *l = (struct listing *)ctx;
	char name[256];
	struct node *child;

	if (ctx->dot_dotdot)
		return 0;
	snprintf(name, sizeof(name), "%.*s", ctx->de_namelen, ctx->dname);
	child = node_child(l->node, name);
	if (!child)
		return -ENOENT;
	/* A hard link must lead to the inode that its other names lead to. */
	if (child->inode->nid && child->inode->nid != ctx->de_nid)
		return -EMLINK;
	child->inode->nid = ctx->de_nid;
	l->names++;
	return 0;
}

static int check_directory(struct check *c, struct erofs_inode *disk, const struct node *node,
			   struct err *e)
{
	struct listing l = {
		.ctx = { .dir = disk, .cb = match_entry },
		.node = node,
	};
	int r;

	(void)c;
	r = erofs_iterate_dir(&l.ctx, false);
	if (r)
		return differs(e, node, r == -EMLINK ? "a hard link is broken" : "unknown entries");
	if (l.names != node_child_count(node))
		return differs(e, node, "entries are missing");
	return 0;
}

/* Add the file's bytes between two offsets to a checksum. */
static int sum_bytes(struct check *c, struct erofs_inode *disk, uint64_t from, uint64_t to,
		     uint32_t *sum)
{
	while (from < to) {
		size_t n = to - from < CHUNK ? (size_t)(to - from) : CHUNK;

		if (erofs_pread(disk, c->found, n, from))
			return -EIO;
		*sum = checksum(*sum, c->found, n);
		from += n;
	}
	return 0;
}

/* That the disk has nothing between two offsets. */
static int check_hole(struct check *c, struct erofs_inode *disk, uint64_t from, uint64_t to)
{
	while (from < to) {
		c->map.m_la = from;
		if (erofs_map_blocks(disk, &c->map, 0) || c->map.m_flags & EROFS_MAP_MAPPED ||
		    c->map.m_la + c->map.m_llen <= from)
			return -EIO;
		from = c->map.m_la + c->map.m_llen;
	}
	return 0;
}

static int sum_file(struct check *c, struct erofs_inode *disk, const struct inode *inode,
		    uint32_t *sum)
{
	const struct content_map *map = inode->content.map;
	uint64_t at = 0;
	int r = 0;

	if (inode->content.store && !map)
		return sum_bytes(c, disk, 0, inode->size, sum);
	for (size_t i = 0; !r && map && i < map->count; i++) {
		uint64_t from = (uint64_t)map->runs[i].first * CONTENT_BLOCK;
		uint64_t to = from + (uint64_t)map->runs[i].count * CONTENT_BLOCK;

		r = check_hole(c, disk, at, from);
		at = to < inode->size ? to : inode->size;
		if (!r)
			r = sum_bytes(c, disk, from, at, sum);
	}
	return r ? r : check_hole(c, disk, at, inode->size);
}

/* What was read once is not kept until now: its checksum is. */
static int check_bytes(struct check *c, struct erofs_inode *disk, const struct node *node,
		       struct err *e)
{
	const struct inode *inode = node->inode;
	uint32_t sum = ~0U;

	if (sum_file(c, disk, inode, &sum) || (inode->content.store && sum != inode->content.crc))
		return differs(e, node, "its content");
	return 0;
}

static int check_target(struct check *c, struct erofs_inode *disk, const struct node *node,
			struct err *e)
{
	size_t size = strlen(node->inode->target);

	if (disk->i_size != size || erofs_pread(disk, c->found, size, 0) ||
	    memcmp(c->found, node->inode->target, size))
		return differs(e, node, "its target");
	return 0;
}

static int check_attributes(const struct erofs_inode *disk, const struct node *node, struct err *e)
{
	const struct inode *inode = node->inode;

	if (disk->i_mode != inode->mode)
		return differs(e, node, "its mode");
	if (disk->i_uid != inode->uid || disk->i_gid != inode->gid)
		return differs(e, node, "its owner");
	if ((int64_t)disk->i_mtime != inode->mtime_sec || disk->i_mtime_nsec != inode->mtime_nsec)
		return differs(e, node, "its time");
	if (!S_ISDIR(inode->mode) && disk->i_nlink != inode->names)
		return differs(e, node, "its number of links");
	if (S_ISREG(inode->mode) && disk->i_size != inode->size)
		return differs(e, node, "its size");
	if ((S_ISCHR(inode->mode) || S_ISBLK(inode->mode)) &&
	    disk->u.i_rdev != ((inode->device_minor & 0xff) | inode->device_major << 8 |
			       (inode->device_minor & ~0xffU) << 12))
		return differs(e, node, "its device number");
	return 0;
}

static int check_xattrs(struct check *c, struct erofs_inode *disk, const struct node *node,
			struct err *e)
{
	const struct inode *inode = node->inode;
	size_t names = 0;

	for (size_t i = 0; i < inode->xattr_count; i++) {
		const struct xattr *x = &inode->xattrs[i];
		int n = erofs_getxattr(disk, x->name, c->found, CHUNK);

		if (n < 0 || (size_t)n != x->size || memcmp(c->found, x->value, x->size))
			return differs(e, node, x->name);
		names += strlen(x->name) + 1;
	}
	if (erofs_listxattr(disk, NULL, 0) != (int)names)
		return differs(e, node, "its extended attributes");
	return 0;
}

static int check_node(struct node *node, void *context, struct err *e)
{
	struct check *c = context;
	struct erofs_inode disk = { .sbi = &c->sbi, .nid = node->inode->nid };
	int r;

	if (node->inode->number)
		return 0; /* another name of an inode that has been compared */
	node->inode->number = 1;
	c->inodes++;
	if (erofs_read_inode_from_disk(&disk))
		return differs(e, node, "its inode cannot be read");
	r = check_attributes(&disk, node, e);
	if (!r)
		r = check_xattrs(c, &disk, node, e);
	if (!r && S_ISREG(node->inode->mode))
		r = check_bytes(c, &disk, node, e);
	if (!r && S_ISLNK(node->inode->mode))
		r = check_target(c, &disk, node, e);
	if (!r && S_ISDIR(node->inode->mode))
		r = check_directory(c, &disk, node, e);
	free(disk.xattr_shared_xattrs);
	return r;
}

static int check_tree(struct check *c, const struct tree *t, struct err *e)
{
	int r;

	tree_forget_numbers(t);
	t->root->inode->nid = c->sbi.root_nid;
	r = tree_walk(t->root, check_node, c, e);
	if (!r && c->sbi.inos != c->inodes)
		r = refuse(e, "the erofs just written has %llu inodes, its source %llu",
			   (unsigned long long)c->sbi.inos, (unsigned long long)c->inodes);
	return r;
}

int erofs_check(const struct tree *t, const char *path, struct err *e)
{
	struct check *c = memory_zero(1, sizeof(*c));
	int r = erofs_dev_open(&c->sbi, path, O_RDONLY);

	if (r) {
		free(c);
		return system_result(e, r, "open %s", path);
	}
	c->found = memory_zero(1, CHUNK);
	r = erofs_read_superblock(&c->sbi);
	if (r) {
		r = system_result(e, r, "read the erofs back");
	} else {
		r = check_tree(c, t, e);
		erofs_put_super(&c->sbi);
	}
	erofs_dev_close(&c->sbi);
	free(c->found);
	free(c);
	return r;
}
