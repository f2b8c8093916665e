/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_DEVICE_MATCH_H
#define MOUNT_DEVICE_MATCH_H

#include "mount/device/blockdev.h"
#include "mount/device/devref.h"

/*
 * How many devices of the set answer to a reference, partition suffix and all; the
 * first one is copied to ret. An empty device answers to none. A PCI path, SCSI address or bus id
 * names a whole disk, everything else either kind. Pure: ids must have been probed
 * (mount/device/probe.h) where the reference is by one.
 */
size_t devref_match(const struct blockdev_set *set, const struct devref *ref, struct blockdev *ret);

#endif
