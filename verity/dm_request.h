/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef VERITY_DM_REQUEST_H
#define VERITY_DM_REQUEST_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct dm_ioctl;

/*
 * What the halves of verity/dm.h share. A request's flags and names are its
 * caller's; size is of all of it, bytes. 0 or -errno.
 */
int dm_ask(unsigned int command, struct dm_ioctl *request, size_t size);

/* A device's number, as the kernel has it in its answers. */
dev_t dm_number(uint64_t encoded);

#endif
