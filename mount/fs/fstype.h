/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_FS_FSTYPE_H
#define MOUNT_FS_FSTYPE_H

#include "lib/err.h"

/*
 * The file systems that a volume may have. Pure.
 */

#define FSTYPE_SIZE 16 /* bytes of a name, with the closing NUL */

/* Their names, as the kernel and libblkid have them, with a closing NULL. */
extern const char *const fstypes[];

/* Take one of these names; VALUE_INVALID. */
int fstype_parse(const char *text, char ret[FSTYPE_SIZE], struct err *e);

#endif
