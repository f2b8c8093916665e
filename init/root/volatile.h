/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef INIT_ROOT_VOLATILE_H
#define INIT_ROOT_VOLATILE_H

#include "lib/err.h"

/*
 * A root that forgets, as systemd.volatile= asks for it.
 *
 * Source: systemd-volatile-root(8), kernel-command-line(7), file-hierarchy(7).
 */

/* A tmpfs of a quarter of the memory, mode 0755, on a directory. */
int volatile_tmpfs(const char *target, struct err *e);

/* The /usr of a file system that is mounted on lower becomes target's, read-only. */
int volatile_bind_usr(const char *lower, const char *target, struct err *e);

/*
 * What a root of nothing but /usr needs before a program can be found in it:
 * /bin, /lib and the like as links into /usr, where /usr has them, and the
 * directories that are written to.
 */
int volatile_fill(const char *target, struct err *e);

#endif
