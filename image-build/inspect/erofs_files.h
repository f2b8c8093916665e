/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_INSPECT_EROFS_FILES_H
#define IMAGE_BUILD_INSPECT_EROFS_FILES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "image-build/base/slice.h"
#include "lib/err.h"

/*
 * The files of an erofs, whoever made it, as liberofs reads them. All lists are
 * sorted, so that two of them can be gone through side by side. One that spreads
 * over several devices is refused: the others are not at hand.
 */
struct erofs_files;

/* *ret must be closed; x's descriptor is borrowed until then. */
int erofs_files_open(const struct slice *x, struct erofs_files **ret, struct err *e);
void erofs_files_close(struct erofs_files *f);

struct erofs_file {
	uint64_t nid; /* of its inode */
	mode_t mode;  /* with the file type */
	uint32_t uid, gid, links;
	uint64_t size; /* bytes */
	int64_t mtime_sec;
	uint32_t mtime_nsec;
	uint32_t device_major, device_minor;
	const char *layout; /* how its data is stored: "plain", "inline", "chunks", "compressed" */
};

uint64_t erofs_files_root(const struct erofs_files *f);
int erofs_files_stat(struct erofs_files *f, uint64_t nid, struct erofs_file *ret, struct err *e);

/* Names of a directory or of attributes. Zero it before; free it after. */
struct erofs_name {
	char *text;
	uint64_t nid; /* of a directory's entry */
};

struct erofs_names {
	size_t count, room;
	struct erofs_name *at; /* ascending by their bytes; without . and .. */
};

void erofs_names_free(struct erofs_names *names);

/* A name that no file can have, or twice the same, is refused. */
int erofs_files_list(struct erofs_files *f, uint64_t nid, struct erofs_names *ret, struct err *e);
int erofs_files_xattrs(struct erofs_files *f, uint64_t nid, struct erofs_names *ret, struct err *e);

/* Allocated, with a NUL behind it. */
int erofs_files_xattr(struct erofs_files *f, uint64_t nid, const char *name, char **ret,
		      size_t *ret_size, struct err *e);

/* Bytes of a file, or of a link's target: size of them, which have to be there. */
int erofs_files_read(struct erofs_files *f, uint64_t nid, void *to, size_t size, uint64_t offset,
		     struct err *e);

/* The target of a symbolic link: allocated. */
int erofs_files_target(struct erofs_files *f, const struct erofs_file *file, char **ret,
		       struct err *e);

#endif
