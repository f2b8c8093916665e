/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_DESCRIBE_TARDEV_H
#define MOUNT_DESCRIBE_TARDEV_H

#include "mount/describe/describe.h"
#include "mount/describe/mount_top.h"

/*
 * The one mount of Microsoft's tardev-snapshotter, of type fuse3.kata-overlay: among its
 * options each layer as base64 of "NAME,FSTYPE,OPTION,...", with its root hash, and
 * lowerdir=NAME:NAME, topmost first. How many blocks a root hash covers is not said: a
 * trailer on the disk has it (verity/trailer.h), which is checked against the erofs that it
 * proves. A layer of the file system tar needs a kernel module of theirs: refused by
 * name. Pure. Source: kata-containers of Microsoft,
 * src/tardev-snapshotter/src/snapshotter.rs, src/overlay/.
 */

#define TARDEV_MOUNT "fuse3.kata-overlay"

int tardev_read(const struct mount_entry *entry, const struct describe_given *given,
		struct stack *s, struct err *e);

#endif
