/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_FS_MAKE_H
#define MOUNT_FS_MAKE_H

#include "lib/err.h"

/*
 * What is mounted on or looked for, made where it is not there yet: whatever has
 * the name already stays as it is. SYSTEM_CALL_FAILED.
 */

int make_dir(const char *path, unsigned int mode, struct err *e);

/* Every directory above an absolute path. */
int make_parents(const char *path, unsigned int mode, struct err *e);

/* A symbolic link at path that says to. */
int make_link(const char *to, const char *path, struct err *e);

#endif
