/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_OPEN_H
#define MOUNT_OPEN_H

#include "mount/device/search.h"
#include "mount/volume.h"

/*
 * From a volume to a device that is proved: find, open, prove.
 */

/* A volume that may be mounted: proved, or raw as the plan says. */
struct open_volume {
	const struct volume *volume;
	const uint8_t *signatures;   /* the pool that the volume's signature is in */
	struct verity_params params; /* as they are in the kernel; VOLUME_RAW: unused */
	struct mapped_device device; /* VOLUME_RAW: the block device itself, without a name */
};

/* How many devices a volume names; three at the most. */
#define VOLUME_DEVICES_MAX 3

size_t volume_devices(const struct volume *v);

/* Add the volume's devices to a list of wishes; returns how many there are now. */
size_t volume_wishes(const struct volume *v, struct device_wish *wishes, size_t count);

/*
 * What the kernel must have for a volume, asked once for all that have the same *checked,
 * which is empty at first: KERNEL_FEATURE_MISSING and what verity/kernel.h says.
 */
struct kernel_checked {
	bool verity, signatures;
};
int volume_check_kernel(const struct volume *v, int sysfs, struct kernel_checked *checked,
			struct err *e);

/*
 * Open the verity device of a volume and prove it. wishes are the volume's own,
 * found, in volume_wishes()'s order. Device sizes are checked before the kernel
 * sees a table (DEVICE_TOO_SMALL), and a signature in a file is read before.
 * A raw volume is opened by nothing. ret refers to v and signatures, which must
 * outlive it.
 */
int volume_open(const struct volume *v, const uint8_t *signatures, const struct device_wish *wishes,
		int uevents, struct open_volume *ret, struct err *e);

/*
 * As verity_diagnose(): 1 where the kernel met a bad block of this volume, and e
 * says so with the volume's name; 0 with e untouched.
 */
int volume_diagnose(const struct open_volume *o, int uevents, struct err *e);

#endif
