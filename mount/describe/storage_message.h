/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_DESCRIBE_STORAGE_MESSAGE_H
#define MOUNT_DESCRIBE_STORAGE_MESSAGE_H

#include <stdbool.h>

#include "mount/describe/hostile_json.h"
#include "mount/describe/storage_options.h"

/*
 * One Storage message of Kata's, with the names that serde gives to its members.
 * Source: kata-containers, src/libs/protocols/protos/agent.proto. Pure.
 */

struct storage {
	const char *driver, *source, *fstype, *mount_point; /* the last one an absolute path */
	struct json_object *driver_options, *options;
	struct storage_options said; /* by its options; nothing of a guest pull */
};

/*
 * Strict: a member that is not known might be what proves the disk one day. What
 * contradicts itself is refused, and whatever a driver is told beside the disk.
 */
int storage_read(struct json_object *object, struct storage *ret, struct err *e);

/* Is it an image that the guest pulls, and no disk at all? */
bool storage_is_guest_pull(const struct storage *st);

#endif
