/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_SCRATCH_EMPTY_H
#define MOUNT_SCRATCH_EMPTY_H

#include <stdint.h>

#include "lib/err.h"

/*
 * Whether a disk may become a scratch disk. Whatever anybody keeps on a disk begins
 * in its first MiB or is described in its last one: file systems, partition tables,
 * RAID, LVM, LUKS, verity. So both must be zeros, however little is known of what
 * is there. But what was a scratch disk before may be one again, or a guest would
 * start only once: that is told by a mark, or by the file system's label and form.
 */

#define SCRATCH_LABEL     "socle-scratch" /* of a file system that is not encrypted */
#define SCRATCH_MARK_SIZE 4096            /* bytes at the start of an encrypted disk */
#define SCRATCH_EDGE_SIZE 1048576         /* bytes that are looked at, at either end */

/* Fill in what stands at the start of an encrypted one. */
void scratch_mark(uint8_t block[SCRATCH_MARK_SIZE]);

/* fd: size_bytes, 2 * SCRATCH_EDGE_SIZE at least. SCRATCH_FAILED, DEVICE_READ_FAILED. */
int scratch_refuse_used(int fd, uint64_t size_bytes, struct err *e);

#endif
