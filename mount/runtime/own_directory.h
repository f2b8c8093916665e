/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_RUNTIME_OWN_DIRECTORY_H
#define MOUNT_RUNTIME_OWN_DIRECTORY_H

#include "lib/err.h"

/*
 * POLICY_REFUSED where a directory cannot be shown to be the guest's own, so that no host
 * has chosen what is read there or reads what is written. It is where its file system
 * is in memory (tmpfs, ramfs), on a dm-verity or dm-crypt device, or an overlay that socle
 * has mounted: of layers and an upper for which the same policy held. Under dm-crypt
 * without integrity a host can still garble blocks and bring back old ones.
 */
int own_directory_check(const char *path, struct err *e);

#endif
