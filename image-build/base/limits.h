/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_BASE_LIMITS_H
#define IMAGE_BUILD_BASE_LIMITS_H

#include "mount/fs/layers.h"

/*
 * What the builder takes at most. Above any of these an input is refused by
 * name, never cut short. How many layers, is the same for all.
 */
#define LIMIT_JSON_BYTES  (8 << 20) /* index, image manifest or configuration */
#define LIMIT_INDEX_DEPTH 4         /* an index that names an index … */
#define LIMIT_PATH        4095      /* bytes, without the closing NUL: PATH_MAX */
#define LIMIT_NAME        255       /* bytes: NAME_MAX */
#define LIMIT_LINK_TARGET 4095      /* bytes: PATH_MAX */
#define LIMIT_XATTR_NAME  255       /* bytes: XATTR_NAME_MAX */
/*
 * Bytes of one inode's attributes, names and values, with 32 more for each: more
 * than images have, and less than an erofs is written with in one piece (BODY_MAX_BYTES
 * in disk/erofs/erofs_xattrs.c).
 */
#define LIMIT_XATTRS       20480
#define LIMIT_ENTRIES      4194304      /* names, or entries, in one layer */
#define LIMIT_LAYER_BYTES  (1ULL << 40) /* one uncompressed layer */
#define LIMIT_FILE_BYTES   (1ULL << 40) /* one file, holes included */
#define DEFAULT_MAX_BYTES  (1ULL << 36) /* all files of an image, unless --max-size says more */
#define LIMIT_IMAGE_BYTES  (1ULL << 43) /* one erofs: half of 2^32 blocks of 4096 */
#define LIMIT_DEVICE_MAJOR 4095         /* the kernel's 12 bits */
#define LIMIT_DEVICE_MINOR 1048575      /* the kernel's 20 bits */
#define CMDLINE_WARN_BYTES 1900         /* x86's kernel takes 2047 in all */

#endif
