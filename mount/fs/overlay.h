/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_FS_OVERLAY_H
#define MOUNT_FS_OVERLAY_H

#include <stddef.h>

#include "lib/err.h"
#include "mount/fs/layers.h"

/*
 * Stack mounted layers into one root.
 *
 * Source: the kernel's Documentation/filesystems/overlayfs.rst; "lowerdir+"
 * needs Linux 6.8.
 */

struct overlay {
	const char *const *lowerdirs; /* topmost first */
	size_t count;                 /* LAYERS_MAX at the most */
	const char *upperdir;         /* NULL: read-only, then count must be above 1 */
	const char *workdir;
	const char *source; /* what /proc/mounts shows for it */
	const char *target; /* a directory that exists */
};

int overlay_mount(const struct overlay *o, struct err *e);

/*
 * KERNEL_FEATURE_MISSING where a directory takes no trusted.* attributes, which an
 * upper cannot do without: what is deleted would come back.
 */
int overlay_check_upper(const char *dir, struct err *e);

/* Make upper and work in an empty file system; overlay_check_upper(). */
int overlay_make_upper(const char *target, struct err *e);

#endif
