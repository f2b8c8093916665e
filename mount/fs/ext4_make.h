/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_FS_EXT4_MAKE_H
#define MOUNT_FS_EXT4_MAKE_H

#include <stdint.h>

#include "lib/err.h"

/*
 * An empty ext4 for a disk whose content dies with the guest, as small as the
 * format lets it be: no journal, no copy of the superblock, nothing for a repair.
 * What the kernel can work out by itself is not written: of a disk of 1 TiB 524 KiB
 * are. Nothing is read, and what is not written may be anything, even unreadable:
 * the kernel reads no block of it before it has written it, as long as the mount
 * has noinit_itable (without it, the kernel fills the inode tables by and by).
 *
 * Source: the kernel's Documentation/filesystems/ext4/ and fs/ext4/ext4.h.
 */

#define EXT4_BLOCK_SIZE  4096
#define EXT4_RANDOM_SIZE 32 /* bytes: of its UUID, and of the seed of its directories' hash */
#define EXT4_LABEL_SIZE  16 /* bytes, without a NUL where it is full */

#define EXT4_MAKE_MIN 16777216       /* bytes of the smallest */
#define EXT4_MAKE_MAX 70368609959936 /* of the largest; of a larger disk the rest is not used */

/*
 * Make one of size_bytes (rounded down to its blocks) on fd, which may be open
 * with O_DIRECT. Its root directory is root's, 0755 and empty. The superblock is
 * written last, so what was begun is no file system. The same bytes come out for
 * the same arguments. SCRATCH_FAILED, also for a size below the smallest.
 */
int ext4_make(int fd, uint64_t size_bytes, const char *label,
	      const uint8_t random[EXT4_RANDOM_SIZE], struct err *e);

/*
 * Whether the first EXT4_BLOCK_SIZE bytes of a disk are those of a file system
 * that ext4_make() made with this label. Pure.
 */
int ext4_is_ours(const uint8_t *block, const char *label);

#endif
