/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_MOUNT_H
#define MOUNT_MOUNT_H

#include "mount/open.h"

/*
 * Mount an open volume on a directory that exists. What is mounted is the
 * device that volume_open() made, by its number; behind *o its further devices stand
 * open, as many as its volume says, and each must be what its file system expects. as_root: device
 * nodes and set-user-id programs count, as in the root of a system. Nothing is mounted after a
 * failure.
 */
int volume_mount(const struct open_volume *o, const char *target, bool as_root, struct err *e);

#endif
