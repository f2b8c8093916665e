// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/inspect/erofs_files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <erofs/config.h>
#include <erofs/dir.h>
#include <erofs/internal.h>
#include <erofs/print.h>
#include <erofs/xattr.h>

#include "image-build/base/limits.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"

#define XATTRS_MAX (64 << 10) /* bytes: as many as a list or a value can have on Linux */

struct erofs_files {
	struct erofs_sb_info sbi;
	struct slice slice;
};

/* Never beyond the slice: behind a partition is another one. */
static ssize_t read_slice(struct erofs_vfile *vf, void *to, u64 offset, size_t size)
{
	const struct slice *x;

	memcpy(&x, vf->payload, sizeof(x));
	return slice_read(x, to, size, offset);
}

static struct erofs_vfops slice_operations = { .pread = read_slice };

int erofs_files_open(const struct slice *x, struct erofs_files **ret, struct err *e)
{
	struct erofs_files *f = memory_zero(1, sizeof(*f));
	const struct slice *slice = &f->slice;
	int r;

	/* What it would print is told in *e. */
	cfg.c_dbg_lvl = EROFS_MSG_MIN - 1;
	f->slice = *x;
	f->sbi.bdev.ops = &slice_operations;
	memcpy(f->sbi.bdev.payload, &slice, sizeof(slice));
	r = erofs_read_superblock(&f->sbi);
	if (r)
		r = system_result(e, r, "read its erofs superblock");
	else if (f->sbi.extra_devices)
		r = refuse(e, "its files are on %u more devices", f->sbi.extra_devices);
	if (r)
		erofs_files_close(f);
	else
		*ret = f;
	return r;
}

void erofs_files_close(struct erofs_files *f)
{
	erofs_put_super(&f->sbi);
	free(f);
}

uint64_t erofs_files_root(const struct erofs_files *f)
{
	return f->sbi.root_nid;
}

static int load(struct erofs_files *f, uint64_t nid, struct erofs_inode *ret, struct err *e)
{
	int r;

	*ret = (struct erofs_inode){ .sbi = &f->sbi, .nid = nid };
	r = erofs_read_inode_from_disk(ret);
	return r ? system_result(e, r, "read inode %llu", (unsigned long long)nid) : 0;
}

static const char *layout_name(const struct erofs_inode *inode)
{
	switch (inode->datalayout) {
	case EROFS_INODE_FLAT_PLAIN:
		return "plain";
	case EROFS_INODE_FLAT_INLINE:
		return "inline";
	case EROFS_INODE_CHUNK_BASED:
		return "chunks";
	default:
		return "compressed";
	}
}

int erofs_files_stat(struct erofs_files *f, uint64_t nid, struct erofs_file *ret, struct err *e)
{
	struct erofs_inode inode;
	int r = load(f, nid, &inode, e);

	if (r)
		return r;
	*ret = (struct erofs_file){
		.nid = nid,
		.mode = inode.i_mode,
		.uid = inode.i_uid,
		.gid = inode.i_gid,
		.links = inode.i_nlink,
		.size = inode.i_size,
		.mtime_sec = (int64_t)inode.i_mtime,
		.mtime_nsec = inode.i_mtime_nsec,
		.layout = layout_name(&inode),
	};
	/* As the kernel's new_encode_dev() has it. */
	if (S_ISCHR(inode.i_mode) || S_ISBLK(inode.i_mode)) {
		ret->device_major = inode.u.i_rdev >> 8 & 0xfff;
		ret->device_minor = (inode.u.i_rdev & 0xff) | (inode.u.i_rdev >> 12 & ~0xffU);
	}
	return 0;
}

/* --- names ------------------------------------------------------------------ */

void erofs_names_free(struct erofs_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->at[i].text);
	free(names->at);
	*names = (struct erofs_names){ .count = 0 };
}

static void add_name(struct erofs_names *names, const char *text, size_t size, uint64_t nid)
{
	names->at = memory_grow(names->at, names->count, &names->room, sizeof(*names->at));
	names->at[names->count++] =
		(struct erofs_name){ memory_printf("%.*s", (int)size, text), nid };
}

static int by_text(const void *a, const void *b)
{
	const struct erofs_name *x = a, *y = b;

	return strcmp(x->text, y->text);
}

static int sort_names(struct erofs_names *names, struct err *e)
{
	if (names->count)
		qsort(names->at, names->count, sizeof(*names->at), by_text);
	for (size_t i = 1; i < names->count; i++)
		if (!strcmp(names->at[i - 1].text, names->at[i].text))
			return refuse(e, "the name \"%.100s\" is there twice", names->at[i].text);
	return 0;
}

/* ctx must stay first: liberofs hands it back. */
struct listing {
	struct erofs_dir_context ctx;
	struct erofs_names *names;
};

static int add_entry(struct erofs_dir_context *ctx)
{
	struct listing *l = (struct listing *)ctx;
	size_t size = ctx->de_namelen;

	if (ctx->dot_dotdot)
		return 0;
	if (!size || memchr(ctx->dname, '/', size) || memchr(ctx->dname, '\0', size) ||
	    (*ctx->dname == '.' && size == 1))
		return -EINVAL;
	if (l->names->count == LIMIT_ENTRIES)
		return -E2BIG;
	add_name(l->names, ctx->dname, size, ctx->de_nid);
	return 0;
}

int erofs_files_list(struct erofs_files *f, uint64_t nid, struct erofs_names *ret, struct err *e)
{
	struct erofs_inode inode;
	struct listing l = { .ctx = { .dir = &inode, .cb = add_entry }, .names = ret };
	int r = load(f, nid, &inode, e);

	if (r)
		return r;
	r = erofs_iterate_dir(&l.ctx, false);
	if (r)
		return system_result(e, r, "read a directory (inode %llu)",
				     (unsigned long long)nid);
	return sort_names(ret, e);
}

int erofs_files_xattrs(struct erofs_files *f, uint64_t nid, struct erofs_names *ret, struct err *e)
{
	char *list auto_text = memory_zero(1, XATTRS_MAX + 1);
	struct erofs_inode inode;
	int size, r = load(f, nid, &inode, e);

	if (r)
		return r;
	size = erofs_listxattr(&inode, list, XATTRS_MAX);
	free(inode.xattr_shared_xattrs);
	if (size < 0)
		return system_result(e, size, "list the attributes of inode %llu",
				     (unsigned long long)nid);
	for (int at = 0; at < size; at += (int)strlen(list + at) + 1)
		add_name(ret, list + at, strlen(list + at), 0);
	return sort_names(ret, e);
}

int erofs_files_xattr(struct erofs_files *f, uint64_t nid, const char *name, char **ret,
		      size_t *ret_size, struct err *e)
{
	char *value = memory_zero(1, XATTRS_MAX + 1);
	struct erofs_inode inode;
	int size = load(f, nid, &inode, e);

	if (!size) {
		size = erofs_getxattr(&inode, name, value, XATTRS_MAX);
		free(inode.xattr_shared_xattrs);
		if (size < 0)
			size = system_result(e, size, "read attribute %.100s", name);
	}
	if (size < 0) {
		free(value);
		return size;
	}
	*ret = value;
	*ret_size = (size_t)size;
	return 0;
}

/* --- bytes ------------------------------------------------------------------ */

int erofs_files_read(struct erofs_files *f, uint64_t nid, void *to, size_t size, uint64_t offset,
		     struct err *e)
{
	struct erofs_inode inode;
	int r = load(f, nid, &inode, e);

	if (r)
		return r;
	if (offset > inode.i_size || size > inode.i_size - offset)
		return refuse(e, "inode %llu ends before byte %llu", (unsigned long long)nid,
			      (unsigned long long)(offset + size));
	r = erofs_pread(&inode, to, size, offset);
	return r ? system_result(e, r, "read the bytes of inode %llu", (unsigned long long)nid) : 0;
}

int erofs_files_target(struct erofs_files *f, const struct erofs_file *file, char **ret,
		       struct err *e)
{
	char *target;
	int r;

	if (file->size > LIMIT_LINK_TARGET)
		return refuse_limit(e, "a link target of %llu bytes, at most %d",
				    (unsigned long long)file->size, LIMIT_LINK_TARGET);
	target = memory_zero(1, (size_t)file->size + 1);
	r = erofs_files_read(f, file->nid, target, (size_t)file->size, 0, e);
	if (r)
		free(target);
	else
		*ret = target;
	return r;
}
