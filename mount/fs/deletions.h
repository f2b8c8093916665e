/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_FS_DELETIONS_H
#define MOUNT_FS_DELETIONS_H

#include "lib/err.h"

/*
 * A layer of an OCI image deletes a name of a lower layer by a file called .wh.NAME
 * (OCI image specification, layer.md, "Whiteouts"). An overlay knows nothing of
 * that: mounted over the lower layer, the deleted file comes back. nydus' layer
 * disks hold such files.
 */

#define DELETIONS_DEPTH_MAX   255           /* directories below each other; each is a descriptor */
#define DELETIONS_ENTRIES_MAX (1UL << 24UL) /* names of one layer */

/*
 * Walk a mounted layer: DELETIONS_IGNORED with the first name found that begins so.
 * No link is followed. LIMIT_EXCEEDED above the limits here, for what is mounted
 * may be made to have no end; DEVICE_READ_FAILED.
 */
int deletions_refuse(const char *mounted_dir, struct err *e);

/* The same with another limit of names. */
int deletions_refuse_among(const char *mounted_dir, unsigned long entries_max, struct err *e);

#endif
