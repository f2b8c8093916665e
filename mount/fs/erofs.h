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
#define EROFS_LABEL_SIZE        16 /* bytes; a full one has no closing NUL */

/* Bits of incompat. */
#define EROFS_INCOMPAT_COMPR_CFGS   0x2  /* algorithms are a set */
#define EROFS_INCOMPAT_DEVICE_TABLE 0x8  /* there are more devices */
#define EROFS_INCOMPAT_48BIT        0x80 /* numbers of blocks have 48 bits */

struct erofs_superblock {
	uint32_t block_size; /* bytes; 512 to 65536 */
	uint32_t incompat;
	uint64_t blocks, inodes;     /* of this device; blocks is not 0 */
	uint64_t size_bytes;         /* of this device; nydus writes the sum of the others here */
	unsigned int algorithms;     /* a bit for each; only with EROFS_INCOMPAT_COMPR_CFGS */
	unsigned int extra_devices;  /* entries of the device table */
	uint64_t device_table_bytes; /* where it begins on this device */
	uint8_t uuid[UUID_SIZE];
	char label[EROFS_LABEL_SIZE + 1]; /* any bytes */
};

/*
 * From the first size bytes of a device, which nothing may have proved; pure.
 * -EINVAL where they are no erofs, or one whose fields cannot be; ret is then
 * untouched.
 */
int erofs_superblock_read(const uint8_t *start, size_t size, struct erofs_superblock *ret);

/*
 * An entry of the device table (struct erofs_deviceslot). The kernel wants as
 * many device= as there are entries, in this order, and looks at no tag; or none
 * at all, and then the first device itself must hold the bytes of every entry.
 */
#define EROFS_DEVICE_SIZE 128
#define EROFS_TAG_SIZE    64

struct erofs_device {
	char tag[EROFS_TAG_SIZE + 1];    /* as its maker wrote it; any bytes */
	uint64_t blocks;                 /* of the whole device */
	uint64_t start_bytes, end_bytes; /* in the addresses of the file system */
};

/* Pure. -EINVAL, ret untouched, where its numbers cannot be. */
int erofs_device_read(const uint8_t entry[EROFS_DEVICE_SIZE], const struct erofs_superblock *sb,
		      struct erofs_device *ret);

#endif
