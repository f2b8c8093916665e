/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_RUNTIME_MOUNTS_H
#define MOUNT_RUNTIME_MOUNTS_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/err.h"

/*
 * What is mounted, as the caller's mount namespace has it.
 *
 * Source: proc_pid_mountinfo(5). Blanks and the like are \ooo there.
 */

#define MOUNTS_PATH_SIZE 4096 /* bytes of a path, with the NUL: PATH_MAX */

/* One mount. */
struct mounted {
	unsigned int major, minor;     /* of the file system's device */
	bool writable;                 /* the mount and its file system are */
	char source[128];              /* what was mounted; longer ones are cut */
	char target[MOUNTS_PATH_SIZE]; /* where */
};

/* The kernel's list; NULL and errno. */
FILE *mounts_open(void);

/* Read on: 1: *ret is filled; 0: there are no more. Lines of another shape are left out. */
int mounts_next(FILE *mountinfo, struct mounted *ret);

/*
 * Call each for every mount, in the order in which they were mounted over each other;
 * what is not 0 ends that and is returned. SYSTEM_CALL_FAILED.
 */
int mounts_each(int (*each)(const struct mounted *m, void *data), void *data, struct err *e);

/* What is on a path, the topmost of it: 1, or 0 where there is none, or -errno. */
int mounts_at(const char *path, struct mounted *ret, struct err *e);

#endif
