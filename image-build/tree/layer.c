// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/tree/layer.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image-build/base/limits.h"
#include "image-build/base/memory.h"
#include "image-build/tree/name.h"
#include "image-build/tree/whiteouts.h"
#include "image-build/base/refuse.h"

static void cleanup_archive(struct archive **a)
{
	archive_read_free(*a);
}

#define auto_archive __attribute__((cleanup(cleanup_archive)))

void layer_init(struct layer *l)
{
	*l = (struct layer){ .spool.fd = -1 };
	tree_init(&l->tree);
}

void layer_free(struct layer *l)
{
	tree_free(&l->tree);
	for (size_t i = 0; i < l->link_count; i++)
		free(l->links[i].target);
	free(l->links);
	if (l->spool.fd >= 0)
		close(l->spool.fd);
	l->spool.fd = -1;
}

/* The directory that a path stands in, made up where no entry has named it yet. */
static int find_parent(struct layer *l, const char *path, struct node **ret, struct err *e)
{
	char *copy auto_text = memory_text(path);
	char *last = strrchr(copy, '/');
	struct node *dir = l->tree.root;
	char *rest = copy, *name;

	*ret = dir;
	if (!last)
		return 0;
	*last = '\0';
	while ((name = strsep(&rest, "/"))) {
		struct node *node = node_child(dir, name);

		if (!node)
			node = node_add(&l->tree, dir, name);
		if (!node->inode)
			node_set_inode(node, inode_new_implied());
		if (!S_ISDIR(node->inode->mode))
			return refuse(e, "\"%s\" is below \"%s\", which is not a directory", path,
				      name);
		dir = node;
	}
	*ret = dir;
	return 0;
}

static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int find_node(struct layer *l, const char *path, struct node **ret, struct err *e)
{
	struct node *dir, *node;
	int r = find_parent(l, path, &dir, e);

	if (r)
		return r;
	node = *path ? node_child(dir, last_component(path)) : l->tree.root;
	if (!node)
		node = node_add(&l->tree, dir, last_component(path));
	if (l->tree.nodes > LIMIT_ENTRIES)
		return refuse_limit(e, "more than %d names", LIMIT_ENTRIES);
	*ret = node;
	return 0;
}

/* Links that wait at or below a name which something else replaces now. */
static void forget_links(struct layer *l, const struct node *node)
{
	for (size_t i = 0; i < l->link_count; i++) {
		const struct node *n = l->links[i].node;

		while (n && n != node)
			n = n->parent;
		if (!n)
			continue;
		free(l->links[i].target);
		l->links[i--] = l->links[--l->link_count];
	}
}

static int add_whiteout(struct layer *l, const char *path, struct err *e)
{
	struct node *dir, *node;
	const char *hidden = name_hidden(last_component(path));
	int r = find_parent(l, path, &dir, e);

	if (r)
		return r;
	node = node_child(dir, hidden);
	if (!node)
		node = node_add(&l->tree, dir, hidden);
	node->whiteout = true;
	return 0;
}

static int add_opaque(struct layer *l, const char *path, struct err *e)
{
	struct node *dir;
	int r = find_parent(l, path, &dir, e);

	if (!r)
		dir->inode->opaque = true;
	return r;
}

static int add_hard_link(struct layer *l, const char *path, const char *raw_target, struct err *e)
{
	char target[LIMIT_PATH + 1];
	struct node *node, *to;
	int r = name_clean(raw_target, target, e);

	if (r)
		return r;
	if (!*path || !*target)
		return refuse(e, "a hard link of or to the root directory");
	to = tree_find(&l->tree, target);
	if (to && node_is_directory(to))
		return refuse(e, "\"%s\" is a hard link to the directory \"%s\"", path, target);
	r = find_node(l, path, &node, e);
	if (r)
		return r;
	/* The target's node may be below the one that is now replaced. */
	to = tree_find(&l->tree, target);
	for (const struct node *n = to ? to->parent : NULL; n; n = n->parent)
		if (n == node)
			return refuse(e, "\"%s\" is a hard link to \"%s\" below itself", path,
				      target);
	forget_links(l, node);
	node_remove_children(&l->tree, node);
	if (to && to->inode) {
		node_set_inode(node, to->inode);
		return 0;
	}
	node_set_inode(node, NULL);
	l->links = memory_grow(l->links, l->link_count, &l->link_room, sizeof(*l->links));
	l->links[l->link_count++] = (struct dangling_link){ node, memory_text(target) };
	return 0;
}

static int check_number(const char *what, int64_t value, int64_t max, struct err *e)
{
	if (value < 0 || value > max)
		return refuse_limit(e, "%s %lld, at most %lld", what, (long long)value,
				    (long long)max);
	return 0;
}

static int read_attributes(struct archive_entry *entry, struct inode *inode, struct err *e)
{
	int r = check_number("user id", archive_entry_uid(entry), UINT32_MAX - 1LL, e);

	if (!r)
		r = check_number("group id", archive_entry_gid(entry), UINT32_MAX - 1LL, e);
	if (r)
		return r;
	inode->mode = archive_entry_filetype(entry) | (archive_entry_mode(entry) & 07777);
	inode->uid = (uint32_t)archive_entry_uid(entry);
	inode->gid = (uint32_t)archive_entry_gid(entry);
	inode->mtime_sec = archive_entry_mtime(entry);
	inode->mtime_nsec = (uint32_t)archive_entry_mtime_nsec(entry);
	inode->implied = false;
	if (!S_ISCHR(inode->mode) && !S_ISBLK(inode->mode))
		return 0;
	inode->device_major = (uint32_t)archive_entry_rdevmajor(entry);
	inode->device_minor = (uint32_t)archive_entry_rdevminor(entry);
	r = check_number("device major", (int64_t)archive_entry_rdevmajor(entry),
			 LIMIT_DEVICE_MAJOR, e);
	return r ? r :
		   check_number("device minor", (int64_t)archive_entry_rdevminor(entry),
				LIMIT_DEVICE_MINOR, e);
}

static int read_xattrs(struct archive_entry *entry, struct inode *inode, struct err *e)
{
	const char *name;
	const void *value;
	size_t size, total = 0;
	int r = 0;

	if (archive_entry_acl_count(entry, ARCHIVE_ENTRY_ACL_TYPE_ACCESS |
						   ARCHIVE_ENTRY_ACL_TYPE_DEFAULT |
						   ARCHIVE_ENTRY_ACL_TYPE_NFS4))
		return refuse(e,
			      "an access list as text; only system.posix_acl_ attributes are kept");
	archive_entry_xattr_reset(entry);
	while (!r && archive_entry_xattr_next(entry, &name, &value, &size) == ARCHIVE_OK) {
		total += strlen(name) + size + 32;
		if (strlen(name) > LIMIT_XATTR_NAME || size > LIMIT_XATTRS || total > LIMIT_XATTRS)
			return refuse_limit(
				e,
				"attribute %.60s of %zu bytes (a name has at most %d, all "
				"attributes of a file %d)",
				name, size, LIMIT_XATTR_NAME, LIMIT_XATTRS);
		r = overlay_take_xattr(inode, name, value, size, e);
	}
	return r;
}

static int read_content(struct archive *a, struct spool *spool, struct inode *inode, struct err *e)
{
	const void *bytes;
	la_int64_t offset;
	size_t size;
	int r;

	if (inode->size > LIMIT_FILE_BYTES)
		return refuse_limit(e, "a file of %llu bytes, at most %llu",
				    (unsigned long long)inode->size, LIMIT_FILE_BYTES);
	while ((r = archive_read_data_block(a, &bytes, &size, &offset)) == ARCHIVE_OK) {
		if (offset < 0 || (uint64_t)offset > inode->size ||
		    size > inode->size - (uint64_t)offset)
			return refuse(e, "it has data beyond its size");
		r = content_add(&inode->content, spool, bytes, size, (uint64_t)offset, e);
		if (r)
			return r;
	}
	if (r != ARCHIVE_EOF)
		return refuse(e, "%s",
			      archive_error_string(a) ? archive_error_string(a) : "damaged");
	return 0;
}

static int read_symlink(struct archive_entry *entry, struct inode *inode, struct err *e)
{
	const char *target = archive_entry_symlink(entry);

	if (!target || !*target)
		return refuse(e, "a symbolic link without a target");
	if (strlen(target) > LIMIT_LINK_TARGET)
		return refuse_limit(e, "a link target of %zu bytes, at most %d", strlen(target),
				    LIMIT_LINK_TARGET);
	inode->target = memory_text(target);
	return 0;
}

/* The inode that an entry describes, content included. */
static int read_inode(struct layer *l, struct archive *a, struct archive_entry *entry,
		      struct inode *inode, struct err *e)
{
	int r = read_attributes(entry, inode, e);

	if (!r)
		r = read_xattrs(entry, inode, e);
	if (r)
		return r;
	switch (inode->mode & S_IFMT) {
	case S_IFREG:
		inode->size = (uint64_t)archive_entry_size(entry);
		return read_content(a, &l->spool, inode, e);
	case S_IFLNK:
		return read_symlink(entry, inode, e);
	case S_IFDIR:
	case S_IFCHR:
	case S_IFBLK:
	case S_IFIFO:
		return 0;
	case 0:
		/* libarchive 3.6 overlooks such a target, so there is nothing to link to. */
		return refuse(e, "a hard link without a target in its ustar header");
	default:
		return refuse(e, "a file type (%o) that a tar cannot carry", inode->mode & S_IFMT);
	}
}

static int place(struct layer *l, const char *path, struct inode *inode, struct err *e)
{
	struct node *node;
	int r;

	if (!*path && !S_ISDIR(inode->mode))
		return refuse(e, "the root is not a directory");
	r = find_node(l, path, &node, e);
	if (r)
		return r;
	if (node_is_directory(node) && S_ISDIR(inode->mode)) {
		bool opaque = node->inode->opaque || inode->opaque;

		inode_copy_attributes(node->inode, inode);
		node->inode->implied = false;
		node->inode->opaque = opaque;
		return 0;
	}
	forget_links(l, node);
	node_remove_children(&l->tree, node);
	if (overlay_is_whiteout(inode)) {
		node_set_inode(node, NULL);
		node->whiteout = true;
		return 0;
	}
	node_set_inode(node, inode);
	return 0;
}

static int add_entry(struct layer *l, struct archive *a, struct archive_entry *entry,
		     const char *path, struct err *e)
{
	struct inode *inode;
	struct node holder = { .name = NULL };
	int r;

	switch (name_kind(path)) {
	case NAME_WHITEOUT:
		return add_whiteout(l, path, e);
	case NAME_OPAQUE:
		return add_opaque(l, path, e);
	case NAME_IGNORED:
		return 0;
	case NAME_INVALID:
		return refuse(e, "\"%s\" is not a valid whiteout", path);
	case NAME_PLAIN:
		break;
	}
	if (archive_entry_hardlink(entry))
		return add_hard_link(l, path, archive_entry_hardlink(entry), e);
	inode = inode_new(0);
	node_set_inode(&holder, inode);
	r = read_inode(l, a, entry, inode, e);
	if (!r)
		r = place(l, path, inode, e);
	node_set_inode(&holder, NULL);
	return r;
}

struct feed {
	struct blob *blob;
	struct err *e;
	bool failed;
};

static la_ssize_t feed_archive(struct archive *a, void *context, const void **ret)
{
	struct feed *feed = context;
	ssize_t n = blob_read(feed->blob, ret, feed->e);

	if (n < 0) {
		feed->failed = true;
		archive_set_error(a, (int)-n, "read failed");
	}
	return n;
}

/*
 * libarchive turns names of pax headers from UTF-8 into the locale's characters
 * (and normalises them where that is UTF-8 as well). This program stays in the
 * C locale: there every name that is not ASCII fails to be turned, which is
 * only a warning, and its bytes are handed out as they are in the tar.
 */
static bool only_charset_warning(struct archive *a)
{
	const char *text = archive_error_string(a);

	return text && strstr(text, "can't be converted from UTF-8 to current locale");
}

static int next_entry(struct archive *a, struct archive_entry **ret)
{
	int r = archive_read_next_header(a, ret);

	return r == ARCHIVE_WARN && only_charset_warning(a) ? ARCHIVE_OK : r;
}

static int read_entries(struct layer *l, struct archive *a, struct feed *feed, struct err *e)
{
	struct archive_entry *entry;
	int r;

	while ((r = next_entry(a, &entry)) == ARCHIVE_OK) {
		const char *raw = archive_entry_pathname(entry);
		char path[LIMIT_PATH + 1];

		if (!raw)
			return refuse(e, "an entry without a name");
		r = name_clean(raw, path, e);
		if (r)
			return r;
		r = add_entry(l, a, entry, path, e);
		if (r && !feed->failed)
			err_prefix(e, "entry \"%.150s\": ", path);
		if (r)
			return feed->failed ? -EIO : r;
	}
	if (feed->failed)
		return -EIO;
	if (r != ARCHIVE_EOF)
		return refuse(e, "damaged tar near byte %lld: %s",
			      (long long)archive_filter_bytes(a, 0),
			      archive_error_string(a) ? archive_error_string(a) : "unknown");
	return 0;
}

/* Behind the end of the tar nothing is read by anyone, so nothing may be there. */
static int check_tail(struct blob *b, uint64_t end, struct err *e)
{
	const void *bytes;
	ssize_t n;

	while ((n = blob_read(b, &bytes, e)) > 0)
		;
	if (n < 0)
		return (int)n;
	if (b->plain_end > end)
		return refuse(e, "bytes that are not zero follow the end of its tar at byte %llu",
			      (unsigned long long)end);
	return 0;
}

int layer_read(struct layer *l, struct blob *b, struct err *e)
{
	struct archive *a auto_archive = archive_read_new();
	struct feed feed = { .blob = b, .e = e };
	int r;

	if (!a || archive_read_support_format_tar(a) || archive_read_support_format_empty(a))
		return refuse(e, "libarchive cannot read tars");
	if (archive_read_open(a, &feed, NULL, feed_archive, NULL) != ARCHIVE_OK)
		return feed.failed ? -EIO :
				     refuse(e, "it is not a tar: %s",
					    archive_error_string(a) ? archive_error_string(a) : "");
	r = read_entries(l, a, &feed, e);
	if (!r)
		r = check_tail(b, (uint64_t)archive_filter_bytes(a, 0), e);
	return r;
}
