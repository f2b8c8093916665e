/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef INIT_ROOT_SWITCH_ROOT_H
#define INIT_ROOT_SWITCH_ROOT_H

#include "lib/err.h"

/*
 * Make a mounted directory the root of this process and its children: move the
 * api file systems below it, move it over /, chroot, and empty the old root, so
 * that an initramfs' memory is free again. pivot_root(2) does not take the
 * initial rootfs (EINVAL), hence the move.
 *
 * The old root is only emptied where it is a ramfs or tmpfs.
 */
int switch_root(const char *new_root, struct err *e);

#endif
