// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/tree/inode.h"

#include <stdlib.h>
#include <string.h>

#include "image-build/base/memory.h"

/* Only a file has all of it. */
static size_t size_of(mode_t mode)
{
	struct inode *inode;

	if (S_ISREG(mode))
		return sizeof(*inode);
	if (S_ISLNK(mode))
		return offsetof(struct inode, target) + sizeof(inode->target);
	return offsetof(struct inode, device_minor) + sizeof(inode->device_minor);
}

struct inode *inode_new(mode_t mode)
{
	struct inode *inode = memory_zero(1, size_of(mode));

	inode->mode = (uint16_t)mode;
	return inode;
}

struct inode *inode_new_implied(void)
{
	struct inode *inode = inode_new(S_IFDIR | 0755);

	inode->implied = true;
	return inode;
}

struct inode *inode_hold(struct inode *inode)
{
	inode->names++;
	return inode;
}

void inode_release(struct inode *inode)
{
	if (!inode || --inode->names)
		return;
	for (size_t i = 0; i < inode->xattr_count; i++) {
		free(inode->xattrs[i].name);
		free(inode->xattrs[i].value);
	}
	free(inode->xattrs);
	if (S_ISLNK(inode->mode))
		free(inode->target);
	if (S_ISREG(inode->mode))
		content_free(&inode->content);
	free(inode);
}

static void copy_what_its_type_has(struct inode *to, const struct inode *from)
{
	switch (from->mode & S_IFMT) {
	case S_IFLNK:
		free(to->target);
		to->target = from->target ? memory_text(from->target) : NULL;
		return;
	case S_IFCHR:
	case S_IFBLK:
		to->device_major = from->device_major;
		to->device_minor = from->device_minor;
		return;
	}
}

void inode_copy_attributes(struct inode *to, const struct inode *from)
{
	to->mode = from->mode;
	to->uid = from->uid;
	to->gid = from->gid;
	to->mtime_sec = from->mtime_sec;
	to->mtime_nsec = from->mtime_nsec;
	copy_what_its_type_has(to, from);
	while (to->xattr_count)
		inode_remove_xattr(to, to->xattrs[0].name);
	for (size_t i = 0; i < from->xattr_count; i++)
		inode_set_xattr(to, from->xattrs[i].name, from->xattrs[i].value,
				from->xattrs[i].size);
}

/* Where a name stands, or would have to. */
static size_t xattr_position(const struct inode *inode, const char *name)
{
	size_t i = 0;

	while (i < inode->xattr_count && strcmp(inode->xattrs[i].name, name) < 0)
		i++;
	return i;
}

const struct xattr *inode_xattr(const struct inode *inode, const char *name)
{
	size_t i = xattr_position(inode, name);

	if (i == inode->xattr_count || strcmp(inode->xattrs[i].name, name))
		return NULL;
	return &inode->xattrs[i];
}

void inode_remove_xattr(struct inode *inode, const char *name)
{
	size_t i = xattr_position(inode, name);

	if (!inode_xattr(inode, name))
		return;
	free(inode->xattrs[i].name);
	free(inode->xattrs[i].value);
	inode->xattr_count--;
	memmove(inode->xattrs + i, inode->xattrs + i + 1,
		(inode->xattr_count - i) * sizeof(*inode->xattrs));
}

void inode_set_xattr(struct inode *inode, const char *name, const void *value, size_t size)
{
	struct xattr added = { memory_text(name), size, memory_copy(value, size) };
	size_t i, count;

	inode_remove_xattr(inode, name);
	i = xattr_position(inode, name);
	count = inode->xattr_count;
	inode->xattrs = memory_resize(inode->xattrs, count + 1, sizeof(*inode->xattrs));
	memmove(inode->xattrs + i + 1, inode->xattrs + i, (count - i) * sizeof(*inode->xattrs));
	inode->xattrs[i] = added;
	inode->xattr_count++;
}
