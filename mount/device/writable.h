/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_DEVICE_WRITABLE_H
#define MOUNT_DEVICE_WRITABLE_H

#include "lib/err.h"

/*
 * Open a block device's node, a path, for writing past the page cache: buffers,
 * offsets and sizes are multiples of its blocks. It must be the device of that
 * number, and not be read-only or in use by a mount or another device. A
 * descriptor, or SCRATCH_FAILED.
 */
int device_open_writable(const char *path, unsigned int major, unsigned int minor, struct err *e);

#endif
