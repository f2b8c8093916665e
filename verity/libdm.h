/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef VERITY_LIBDM_H
#define VERITY_LIBDM_H

#include <stdint.h>

#include <libdevmapper.h>

#include "verity/device.h"
#include "verity/table.h"

/*
 * Talking to device-mapper. Its library would write to stderr by itself; here
 * errors are return values. (That function is the one thing here that belongs to
 * the whole process: libdevmapper has one for all tasks.)
 */

/* A task of a type (DM_DEVICE_…), for a name or, if that is NULL, for none. NULL on failure. */
struct dm_task *verity_dm_task(int type, const char *name);

static inline void verity_dm_cleanup(struct dm_task **task)
{
	if (*task)
		dm_task_destroy(*task);
}

#define auto_task __attribute__((cleanup(verity_dm_cleanup)))

/* What device-mapper knows of a name: 1: *ret is filled; 0: there is none; -EIO. */
int verity_dm_info(const char *name, struct dm_info *ret);

/*
 * The text of a device whose only target is verity: of its table (type is
 * DM_DEVICE_TABLE) or its status (DM_DEVICE_STATUS). 0; -ENODEV where
 * device-mapper does not answer, -EINVAL where it is another device.
 */
int verity_dm_text(int type, const char *name, char text[VERITY_TABLE_SIZE], uint64_t *ret_sectors);

/* Fill in a device by the name and number that device-mapper has for it. */
void verity_dm_device(struct verity_device *dev, const char *name, const struct dm_info *info);

#endif
