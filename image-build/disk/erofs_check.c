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
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"

#define CHUNK (256 << 10)

struct check {
	struct erofs_sb_info sbi;
	uint64_t inodes; /* different ones that the tree has */
	char *expected, *found;
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

static int check_bytes(struct check *c, struct erofs_inode *disk, const struct node *node,
		       struct err *e)
{
	const struct inode *inode = node->inode;

	for (uint64_t at = 0; at < inode->size;) {
		ssize_t n = content_read(&inode->content, inode->size, c->expected, CHUNK, at, e);

		if (n < 0)
			return (int)n;
		if (erofs_pread(disk, c->found, (erofs_off_t)n, at) ||
		    memcmp(c->expected, c->found, (size_t)n))
			return differs(e, node, "its content");
		at += (uint64_t)n;
	}
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

int erofs_check(const struct tree *t, const char *path, struct err *e)
{
	struct check c = { .inodes = 0 };
	int r;

	c.expected = memory_zero(1, CHUNK);
	c.found = memory_zero(1, CHUNK);
	tree_forget_numbers(t);
	r = erofs_dev_open(&c.sbi, path, O_RDONLY);
	if (!r)
		r = erofs_read_superblock(&c.sbi);
	if (r) {
		r = system_result(e, r, "read the erofs back");
	} else {
		t->root->inode->nid = c.sbi.root_nid;
		r = tree_walk(t->root, check_node, &c, e);
	}
	if (!r && c.sbi.inos != c.inodes)
		r = refuse(e, "the erofs just written has %llu inodes, its source %llu",
			   (unsigned long long)c.sbi.inos, (unsigned long long)c.inodes);
	free(c.expected);
	free(c.found);
	return r;
}
