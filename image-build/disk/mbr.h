/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DISK_MBR_H
#define IMAGE_BUILD_DISK_MBR_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

/*
 * A "DOS" partition table of primary partitions, in sectors of 512 bytes.
 * Source: the layout that util-linux' sfdisk(8) reads and writes.
 */
#define MBR_PARTITIONS 4
#define MBR_LINUX      0x83
#define MBR_SECTOR     512

struct mbr_entry {
	uint64_t offset, size; /* bytes from the table, in whole sectors; size 0: none */
};

struct mbr {
	uint32_t signature; /* what PARTUUID= is made of */
	size_t count;
	struct mbr_entry entries[MBR_PARTITIONS];
};

/* Write it at a place of the file; LIMIT_EXCEEDED beyond 2 TiB. The first is active. */
int mbr_write(const struct mbr *m, int fd, uint64_t at, struct err *e);

#endif
