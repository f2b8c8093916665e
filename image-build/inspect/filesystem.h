/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_INSPECT_FILESYSTEM_H
#define IMAGE_BUILD_INSPECT_FILESYSTEM_H

#include <json-c/json.h>

#include "image-build/base/slice.h"
#include "image-build/base/identify.h"
#include "lib/err.h"

/*
 * What the superblock of a file system says, its every field bounded. Sources:
 * Linux fs/erofs/erofs_fs.h, fs/squashfs/squashfs_fs.h, fs/ext4/ext4.h,
 * fs/xfs/libxfs/xfs_format.h.
 */
struct filesystem {
	uint64_t size_bytes;       /* where something else may begin behind it */
	uint32_t io_size;          /* bytes; the kernel mounts it from no larger blocks */
	unsigned int more_devices; /* that must be given beside this one */
};

/* The file systems that are mounted here. */
bool filesystem_known(enum image_kind kind);

/*
 * The file system of that kind at the start of a slice, and what there is to
 * say of it into o. One that does not fit in is refused.
 */
int filesystem_read(const struct slice *x, enum image_kind kind, struct filesystem *ret,
		    struct json_object *o, struct err *e);

#endif
