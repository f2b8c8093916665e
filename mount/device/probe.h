/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_DEVICE_PROBE_H
#define MOUNT_DEVICE_PROBE_H

#include "mount/device/blockdev.h"
#include "mount/fs/fstype.h"

/*
 * What a device says of itself, read by libblkid with the few probers that
 * this project mounts. Hostile bytes: nothing here is proved.
 */

/*
 * The type of the file system on fd. 0, or an error: FILESYSTEM_UNKNOWN where
 * none or more than one of fstypes is found, DEVICE_READ_FAILED.
 */
int probe_fstype(int fd, char type[FSTYPE_SIZE], struct err *e);

/*
 * Fill partuuid and partlabel of every partition of the set, or uuid and label of
 * every device, where that was not done yet. dev is a descriptor of /dev. A device
 * that cannot be read has no ids, so it answers to no reference; it is read again
 * the next time. A file system takes reads in many places, so nobody asks for those
 * of all devices but who names one by its file system's ids.
 */
void probe_partitions(int dev, struct blockdev_set *set);
void probe_filesystems(int dev, struct blockdev_set *set);

/*
 * Fill foreign_gpt of every disk of the set: an image of a disk may have been
 * written for sectors of 512 bytes and attached with 4,096, or the reverse.
 */
void probe_foreign_gpt(int dev, struct blockdev_set *set);

#endif
