/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_DEVICE_SEARCH_H
#define MOUNT_DEVICE_SEARCH_H

#include "lib/uevent.h"
#include "mount/device/blockdev.h"

/*
 * From device references to block devices: listen to uevents first, then read
 * what is there already, then wait for what is missing, up to a limit.
 */

struct device_search {
	int sysfs;   /* a descriptor of /sys */
	int dev;     /* a descriptor of /dev */
	int uevents; /* lib/uevent.h's socket */
	struct blockdev_set set;
	struct uevent event; /* the one that is being looked at */
};

/* One wanted device. */
struct device_wish {
	char volume[ERR_VOLUME_SIZE]; /* whose it is, for messages */
	const struct devref *ref;
	struct blockdev found; /* filled on success */
};

/*
 * Open the three descriptors. The socket is open before anybody looks into
 * sysfs, so no device can fall between. -1 in each of them on failure.
 */
int device_search_open(struct device_search *s, struct err *e);
void device_search_close(struct device_search *s);

/*
 * Find every wished-for device, waiting timeout_ms milliseconds at the most
 * for all of them together. When half of the time is over, PCI and SCSI are
 * asked once to look again; for SCSI= each host is asked for exactly that address,
 * at once and then, which is all that a kernel with scsi_mod.scan=none ever does. A
 * DEVREF_FILE is not looked for, and its found stays as it is. DEVICE_NOT_FOUND says what was there
 * instead, DEVICE_AMBIGUOUS names two devices that answer; e's volume is set for both.
 */
int device_search_wait(struct device_search *s, struct device_wish *wishes, size_t count,
		       int timeout_ms, struct err *e);

#endif
