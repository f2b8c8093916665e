/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_RUNTIME_UMOUNT_H
#define MOUNT_RUNTIME_UMOUNT_H

#include "lib/err.h"

/*
 * Unmount a target and take away all that belonged to it; nothing there is no failure.
 * *ret_left: devices that go when somebody else lets go of them. TARGET_IN_USE where it
 * is in use, and then nothing is changed.
 */
int runtime_umount(const char *path, unsigned int *ret_left, struct err *e);

#endif
