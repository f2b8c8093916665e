/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_FS_LAYERS_H
#define MOUNT_FS_LAYERS_H

/*
 * Layers of one stack, wherever they are counted. overlayfs' own limit,
 * OVL_MAX_STACK, is higher, and their devices stay below BLOCKDEV_MAX.
 */
#define LAYERS_MAX 127

#endif
