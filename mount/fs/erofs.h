/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_FS_EROFS_H
#define MOUNT_FS_EROFS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/uuid.h"

/*
 * The superblock of an erofs, as far as it matters here. Source: Linux
 * fs/erofs/erofs_fs.h, struct erofs_super_block; all of it is little-endian.
 */
#define EROFS_SUPERBLOCK_OFFSET 1024 /* bytes from the start of the device */
#define EROFS_SUPERBLOCK_SIZE   128

/* Bits of incompat. */
#define EROFS_INCOMPAT_COMPR_CFGS   0x2  /* algorithms are a set */
#define EROFS_INCOMPAT_DEVICE_TABLE 0x8  /* there are more devices */
#define EROFS_INCOMPAT_48BIT        0x80 /* blocks has more bits elsewhere */

struct erofs_superblock {
	uint32_t block_size; /* bytes; 512 to 65536 */
	uint32_t incompat;
	uint64_t blocks, inodes; /* of this device; blocks is not 0 */
	uint64_t size_bytes;
	unsigned int algorithms; /* a bit for each; only with EROFS_INCOMPAT_COMPR_CFGS */
	uint8_t uuid[UUID_SIZE];
};

/*
 * From the first size bytes of a device, which nothing may have proved; pure.
 * -EINVAL where they are no erofs, or one whose fields cannot be; ret is then
 * untouched.
 */
int erofs_superblock_read(const uint8_t *start, size_t size, struct erofs_superblock *ret);

#endif
