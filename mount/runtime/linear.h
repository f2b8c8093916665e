/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_RUNTIME_LINEAR_H
#define MOUNT_RUNTIME_LINEAR_H

#include "mount/device/blockdev.h"
#include "verity/device.h"

/*
 * A disk that nothing proves as a device of a name of ours: read-only whatever the
 * disk is, and found again by that name and known by its mark as a verity device is.
 * VERITY_OPEN_FAILED.
 *
 * Source: the kernel's Documentation/admin-guide/device-mapper/linear.rst.
 */
int linear_open(const char *name, const char *mark, const struct blockdev *b,
		struct mapped_device *ret, struct err *e);

#endif
