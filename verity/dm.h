/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef VERITY_DM_H
#define VERITY_DM_H

#include <stdint.h>

#include <libdevmapper.h>

#include "verity/device.h"

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

/*
 * The only target of a device, if it is verity: its parameters, which live as
 * long as the task that ran, or NULL.
 */
const char *verity_dm_target(struct dm_task *task, uint64_t *ret_sectors);

/* Fill in a device by the name and number that device-mapper has for it. */
void verity_dm_device(struct verity_device *dev, const char *name, const struct dm_info *info);

#endif
