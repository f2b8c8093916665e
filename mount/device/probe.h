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
 * Fill uuid and label, and for a partition partuuid and partlabel, of every
 * device of the set that was not probed yet. dev is a descriptor of /dev. A
 * device that cannot be read has no ids, so it answers to no reference; it
 * stays unprobed and is read again the next time.
 */
void probe_ids(int dev, struct blockdev_set *set);

/*
 * Fill foreign_gpt of every disk of the set: an image of a disk may have been
 * written for sectors of 512 bytes and attached with 4,096, or the reverse.
 */
void probe_foreign_gpt(int dev, struct blockdev_set *set);

#endif
