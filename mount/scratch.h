/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_SCRATCH_H
#define MOUNT_SCRATCH_H

#include "mount/device/blockdev.h"
#include "mount/upper.h"
#include "verity/device.h"

/*
 * A scratch disk: what a guest writes to, made new for each use.
 */

struct scratch {
	struct verity_device device;      /* what is mounted */
	char integrity[VERITY_NAME_SIZE]; /* device-mapper's name of the layer below, or empty */
};

/* How many device-mapper devices it takes. */
size_t scratch_devices(const struct upper *u);

/*
 * Make a scratch disk of an empty disk: "name" (and "name-integrity" below it) with a
 * new key and a new file system. SCRATCH_FAILED, and then nothing stays open.
 */
int scratch_open(const struct blockdev *disk, const struct upper *u, const char *name,
		 struct scratch *ret, struct err *e);

/* Mount it, writable, on a directory that exists. */
int scratch_mount(const struct scratch *s, const char *target, struct err *e);

/* Its devices go, with the key, when the last mount of it does. */
int scratch_defer(const struct scratch *s, struct err *e);

#endif
