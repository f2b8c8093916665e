/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef VERITY_DEVICE_H
#define VERITY_DEVICE_H

#include <sys/types.h>

#include "lib/err.h"

#define MAPPED_NAME_SIZE 64 /* of a device-mapper name, with the closing NUL */

/*
 * A device that may be mounted: one of device-mapper's (verity, linear, crypt), or without
 * a name a disk itself.
 */
struct mapped_device {
	char name[MAPPED_NAME_SIZE]; /* device-mapper's name for it; empty: a disk */
	unsigned int major, minor;   /* what is mounted is this number, never a name */
	char path[40];               /* its node, "/dev/dm-0", "/dev/vda" */
};

/* Of a device-mapper device's name and number. */
struct mapped_device mapped_device(const char *name, dev_t number);

/*
 * Open a block device's node read-only, and make sure that it is the device of
 * that number: a name may have come to mean another one. dev is a descriptor of
 * /dev, for a name without a slash in front. The kernel reads nothing ahead for it.
 * A descriptor, or DEVICE_READ_FAILED.
 */
int device_node_open(int dev, const char *name, unsigned int major, unsigned int minor,
		     struct err *e);

#endif
