/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_DEVICE_LOOP_H
#define MOUNT_DEVICE_LOOP_H

#include "mount/device/blockdev.h"

/*
 * A file of the guest as a block device: read-only, in sectors of 512 bytes, past the
 * page cache where the file's own disk allows that. The device goes away by itself
 * once nobody has it open: *ret_fd, which the caller closes, keeps it until
 * device-mapper or a mount does. What of a file is behind its last whole sector is not
 * in it.
 *
 * DEVICE_NOT_FOUND where the path leads to no regular file, KERNEL_FEATURE_MISSING
 * without loop devices.
 *
 * Source: the kernel's include/uapi/linux/loop.h and drivers/block/loop.c.
 */
int loop_attach(const char *path, struct blockdev *ret, int *ret_fd, struct err *e);

#endif
