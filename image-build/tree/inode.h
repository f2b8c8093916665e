/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_TREE_INODE_H
#define IMAGE_BUILD_TREE_INODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "image-build/base/store.h"

struct xattr {
	char *name;
	size_t size;
	uint8_t *value;
};

/*
 * What a name leads to. There may be millions of them, so what only one type of file has
 * lies in the same place, and is there in that type alone. The type never changes.
 */
struct inode {
	uint32_t names;   /* how many nodes lead here; a directory has one */
	uint16_t mode;    /* with the file type */
	bool opaque : 1;  /* a directory that hides what the layers below have there */
	bool implied : 1; /* a directory that no entry of its layer describes */
	uint16_t xattr_count : 14;
	uint32_t uid, gid;
	int64_t mtime_sec;
	uint32_t mtime_nsec;
	uint32_t number;      /* for whoever walks: 0 until then */
	uint64_t nid;         /* the inode's number in a finished erofs, for its check */
	struct xattr *xattrs; /* ascending by name */
	union {
		struct {               /* regular files */
			uint64_t size; /* bytes */
			struct content content;
		};
		char *target; /* symbolic links */
		struct {      /* devices */
			uint32_t device_major, device_minor;
		};
	};
};

static inline bool inode_is_device(const struct inode *inode)
{
	return S_ISCHR(inode->mode) || S_ISBLK(inode->mode);
}

struct inode *inode_new(mode_t mode);
/* A directory nobody describes: 0755, root's, the beginning of time. */
struct inode *inode_new_implied(void);
/* Everything but names, number, content and size, of an inode of the same type. */
void inode_copy_attributes(struct inode *to, const struct inode *from);
void inode_set_xattr(struct inode *inode, const char *name, const void *value, size_t size);
void inode_remove_xattr(struct inode *inode, const char *name);
const struct xattr *inode_xattr(const struct inode *inode, const char *name);

/*
 * An inode belongs to its names and to whoever holds it: holding is one name more
 * for as long, and letting go of the last one frees. Releasing NULL does nothing.
 */
struct inode *inode_hold(struct inode *inode);
void inode_release(struct inode *inode);

static inline void cleanup_inode(struct inode **inode)
{
	inode_release(*inode);
}

/* Released when its variable goes out of scope. */
#define auto_inode __attribute__((cleanup(cleanup_inode)))

#endif
