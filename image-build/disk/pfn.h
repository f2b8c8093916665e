/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DISK_PFN_H
#define IMAGE_BUILD_DISK_PFN_H

#include <stdint.h>

#include "lib/err.h"
#include "lib/uuid.h"

/*
 * The information block of a "pfn" device, by which the kernel takes persistent
 * memory for DAX and shows what lies behind the header as /dev/pmem0. Source:
 * Linux drivers/nvdimm/pfn.h, struct nd_pfn_sb, version 1.2, and
 * nd_fletcher64() in drivers/nvdimm/core.c.
 */
#define PFN_HEADER_BYTES (2 << 20) /* in front of what the kernel shows */
#define PFN_INFO_OFFSET  4096      /* bytes */

/* Of memory of so many bytes, into the header at the start of a file. */
int pfn_write(int fd, uint64_t size, const uint8_t uuid[UUID_SIZE], struct err *e);

#endif
