/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_VOLUME_H
#define MOUNT_VOLUME_H

#include <stdbool.h>

#include "mount/probe.h"
#include "mount/resolve.h"
#include "verity/open.h"

/*
 * A volume: one file system that is proved by dm-verity. There is no way to
 * mount one that is not.
 */

struct volume {
	char name[ERR_VOLUME_SIZE];  /* "layer-0": in messages and, with "socle-" before it, in dm */
	struct devref data;          /* where the file system is */
	struct devref hash;          /* where the tree is; DEVREF_NONE: behind the data */
	struct devref fec;           /* where the parity is; DEVREF_NONE: nowhere */
	struct verity_params verity;
	char fstype[FSTYPE_SIZE];    /* empty: probed on the verified device */
};

/* A volume whose verity device is open and proved. */
struct open_volume {
	const struct volume *volume;
	struct verity_device verity;
};

/* How many devices a volume names; three at the most. */
#define VOLUME_DEVICES_MAX 3

/* Add the volume's devices to a list of wishes; returns how many there are now. */
size_t volume_wishes(const struct volume *v, struct device_wish *wishes, size_t count);

/*
 * Open the verity device of a volume and prove it. wishes are the volume's own,
 * found, in volume_wishes()'s order. Device sizes are checked before the kernel
 * sees a table (DEVICE_TOO_SMALL).
 */
int volume_open(const struct volume *v, const struct device_wish *wishes, int uevents,
		struct open_volume *ret, struct err *e);

/*
 * Mount an open volume read-only on a directory that exists. What is mounted is
 * the device that volume_open() made, by its number. as_root: device nodes and
 * set-user-id programs count, as in the root of a system.
 */
int volume_mount(const struct open_volume *o, const char *target, bool as_root, struct err *e);

#endif
