/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_DEVICE_BLOCKDEV_H
#define MOUNT_DEVICE_BLOCKDEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "mount/device/devref.h"

/*
 * What sysfs says of the block devices that the host attached. Everything here
 * is the host's word: it chooses which bytes are proved, never whether.
 *
 * Every read takes a descriptor of /sys, so that a test's folder does as well.
 *
 * Source: the kernel's Documentation/ABI/stable/sysfs-block; virtio-blk's
 * serial is 20 bytes with no closing NUL when full (virtio 1.2, 5.2.6.1).
 */

#define BLOCKDEV_NAME_SIZE    32  /* DISK_NAME_LEN */
#define BLOCKDEV_SERIAL_SIZE  64  /* SCSI's page 0x80 is cut to this */
#define BLOCKDEV_ADDRESS_SIZE 192 /* deeper bridges than this are cut off */
#define BLOCKDEV_MAX          512 /* disks and partitions together */

struct blockdev {
	char name[BLOCKDEV_NAME_SIZE];     /* in /dev, "vda1" or "cciss/c0d0" */
	char disk[BLOCKDEV_NAME_SIZE];     /* a partition's disk, else empty */
	char serial[BLOCKDEV_SERIAL_SIZE]; /* a disk's serial number, or empty */
	/*
	 * Where the disk hangs: sysfs' path of its device with a slash at either
	 * end, "/pci0000:00/0000:00:02.0/virtio3/".
	 */
	char address[BLOCKDEV_ADDRESS_SIZE];
	unsigned int major, minor;
	unsigned int partition; /* its number, 0 for a whole disk */
	uint64_t size_bytes;
	bool empty;            /* of size 0: listed, and answers to nothing */
	uint64_t sector_bytes; /* a disk's own; the unit of its partition table */
	bool foreign_gpt;      /* a GPT is there, and no place where the kernel looks for one */
	/* Ids that are read from the device itself, when a reference asks for them. */
	bool table_read, filesystem_read;
	char partuuid[40];
	char partlabel[DEVREF_VALUE_SIZE];
	char uuid[40];
	char label[DEVREF_VALUE_SIZE];
};

struct blockdev_set {
	size_t count;
	struct blockdev dev[BLOCKDEV_MAX];
};

/*
 * Read one device by its name in sysfs. 0: filled; -ENOENT: there is none, or
 * it is not ready, or it is of a kind that no host
 * attaches (loop, ram, device-mapper …); nothing is recorded in e for that.
 */
int blockdev_read(int sysfs, const char *name, struct blockdev *ret);

/* Read all of them. -E2BIG (LIMIT_EXCEEDED) above BLOCKDEV_MAX. */
int blockdev_scan(int sysfs, struct blockdev_set *ret, struct err *e);

/* Take a device that appeared or changed into the set, or one that went out of it. */
int blockdev_update(int sysfs, const char *name, struct blockdev_set *set, struct err *e);

/* The disks, one after the other, as an operator wants to see them. Returns buf. */
const char *blockdev_inventory(const struct blockdev_set *set, char *buf, size_t size);

#endif
