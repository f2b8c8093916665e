/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_DESCRIBE_STORAGE_DISK_H
#define MOUNT_DESCRIBE_STORAGE_DISK_H

#include "mount/device/devref.h"

/*
 * Which disk a Storage message of Kata's means: a driver, and how that names one.
 * Source: kata-containers, src/agent/src/storage/{block,scsi}_handler.rs. Pure.
 */

#define STORAGE_GUEST_PULL "image_guest_pull" /* the driver of an image, which is no disk */

/* The disk as a whole. DESCRIPTION_UNSUPPORTED for a driver of something else. */
int storage_disk(const char *driver, const char *source, struct devref *ret, struct err *e);

#endif
