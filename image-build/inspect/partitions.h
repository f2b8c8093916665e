/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_INSPECT_PARTITIONS_H
#define IMAGE_BUILD_INSPECT_PARTITIONS_H

#include "image-build/base/slice.h"
#include "lib/err.h"

/* A disk's table of partitions, GPT or MBR, as libblkid reads it. */

#define PARTITIONS_MAX 256 /* as many as the kernel makes devices for */

struct partition {
	unsigned int number;
	uint64_t offset, size; /* bytes */
	char uuid[37];         /* what PARTUUID= names */
	char name[128];        /* GPT only: what PARTLABEL= names; printable */
	char type[37];         /* GPT: a UUID; MBR: 0x83 */
};

/*
 * sector_size is what the table counts in. One that is damaged is refused, and
 * so is a partition beyond the disk's end.
 */
int partitions_read(const struct slice *disk, unsigned int sector_size,
		    struct partition list[PARTITIONS_MAX], size_t *count, struct err *e);

#endif
