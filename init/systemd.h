/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef INIT_SYSTEMD_H
#define INIT_SYSTEMD_H

#include "mount/blockdev.h"

/*
 * Word for a systemd that the agent may be, in /run, which goes along into the
 * new root.
 *
 * Source: systemd.generator(7), systemd-volatile-root(8).
 */

/*
 * In a rootfs of Kata's a systemd generator wants the extensions for itself. What
 * is open already it cannot open, and it powers the guest off for that. A link to
 * /dev/null in a folder that counts more hides it.
 */
int systemd_hide_extension_generator(struct err *e);

/*
 * Leave word of the one disk below a root that is no block device itself, as a
 * link from /run/systemd/volatile-root to /dev/block/MAJOR:MINOR: systemd looks
 * for the disk's other partitions there. data is the root's data device.
 */
int systemd_tell_volatile_root(const struct blockdev *data, struct err *e);

#endif
