/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_INITRAMFS_CPIO_H
#define IMAGE_BUILD_INITRAMFS_CPIO_H

#include "image-build/base/sink.h"
#include "image-build/tree/tree.h"
#include "lib/err.h"

/* Where an archive that is not packed may begin in an initramfs, in bytes. */
#define CPIO_ALIGNMENT 4

/*
 * A tree as a cpio archive of the "newc" kind, as the kernel's initramfs wants
 * it (Documentation/driver-api/early-userspace/buffer-format.rst). The same
 * tree gives the same bytes: parents first, names ascending, inodes numbered
 * from 1 in that order, true link counts, owner root and time 0 for all.
 * A hard link's content stands with its last name. The root has no entry.
 * last, which may be NULL, is a file with one name that comes behind all others.
 */
int cpio_write(const struct tree *t, struct node *last, struct sink *s, struct err *e);

#endif
