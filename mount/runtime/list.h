/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_RUNTIME_LIST_H
#define MOUNT_RUNTIME_LIST_H

#include "lib/err.h"
#include "mount/runtime/socle.h"

/*
 * What is mounted, as socle_list() tells it: devices by their names, targets by what
 * the mounts say. Also what an interrupted mount has left, which has no target.
 */
int runtime_list(int (*each)(const struct socle_mount_info *mount, void *data), void *data,
		 struct err *e);

#endif
