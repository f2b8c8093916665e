/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_FS_EROFS_KERNEL_H
#define MOUNT_FS_EROFS_KERNEL_H

#include <stdbool.h>

#include "lib/err.h"
#include "mount/fs/erofs.h"

/*
 * Which kernels can mount an erofs, by the versions in which its features came
 * (fs/erofs/ of Linux). Pure.
 */

/* What is known of a machine: uname(2)'s release, and its page size in bytes. */
struct erofs_machine {
	const char *release; /* "6.12.48+deb13-amd64" */
	uint32_t page_size;
};

/*
 * Before a mount: KERNEL_FEATURE_MISSING where the blocks are larger than a page, or
 * smaller and the kernel is older than 6.4; or where the data of further devices are
 * on the first one (flat) and it is older: such a kernel takes a slot's tag for the
 * path of a file and opens that, and whoever made the disk chose the tag. A release that
 * cannot be read is no reason.
 */
int erofs_kernel_can(const struct erofs_superblock *sb, bool flat,
		     const struct erofs_machine *machine, struct err *e);

/*
 * After a refusal: KERNEL_FEATURE_MISSING with the features that came later than the
 * kernel's version, and 0 where there are none. Not asked before, for distributions put
 * features into older kernels.
 */
int erofs_kernel_lacks(const struct erofs_superblock *sb, const char *release, struct err *e);

#endif
