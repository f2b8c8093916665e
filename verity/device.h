/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef VERITY_DEVICE_H
#define VERITY_DEVICE_H

#include "lib/err.h"

/*
 * Open a block device's node read-only, and make sure that it is the device of
 * that number: a name may have come to mean another one. A descriptor, or
 * DEVICE_READ_FAILED.
 */
int device_node_open(const char *path, unsigned int major, unsigned int minor, struct err *e);

#endif
