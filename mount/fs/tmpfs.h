/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_FS_TMPFS_H
#define MOUNT_FS_TMPFS_H

#include "lib/err.h"

/*
 * Mount a tmpfs of mode 0755 on a directory that exists. source is its name in
 * /proc/mounts, size "50%" or "512m" (empty: the kernel's default, half of the
 * memory), code what a refusal is called.
 */
int tmpfs_mount(const char *source, const char *target, const char *size, enum fail_code code,
		struct err *e);

#endif
