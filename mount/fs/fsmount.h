/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_FS_FSMOUNT_H
#define MOUNT_FS_FSMOUNT_H

#include "lib/err.h"

/*
 * One mount through fsopen(2) and its siblings: every option on its own, so
 * nothing is escaped and nothing is cut at a page, and the kernel's own words
 * come back in the error.
 *
 * Source: the kernel's Documentation/filesystems/mount_api.rst.
 */

struct fs_option {
	const char *key;
	const char *value; /* NULL: a flag */
};

struct fs_mount {
	const char *type;
	const struct fs_option *options;
	size_t option_count;
	unsigned int attributes; /* MOUNT_ATTR_… */
	const char *target;      /* a directory that exists */
	enum fail_code code;     /* what a refusal is called */
};

/* 0 or -errno with m->code; KERNEL_FEATURE_MISSING where the type is unknown. */
int fs_mount(const struct fs_mount *m, struct err *e);

#endif
