/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_RUNTIME_TARGET_H
#define MOUNT_RUNTIME_TARGET_H

#include "lib/err.h"
#include "mount/runtime/mounts.h"
#include "verity/device.h"

/*
 * A target, and the names of all that belongs to it. They are made of the path alone,
 * so whoever knows the path finds what a mount has left, however it ended:
 *
 *   socle.ID.N            device-mapper's name of volume N
 *   socle.ID.upper…       and of a scratch disk's layers
 *   socle.ID.MARK         the overlay's source (mount/runtime/mark.h)
 *   /run/socle/ID         held while the target is worked on
 *   /run/socle/ID/stage   a tmpfs on which a stack is put together
 *
 * ID is the beginning of the path's SHA-256.
 */

#define TARGET_PREFIX  "socle."
#define TARGET_ID_SIZE 17 /* hexadecimal digits, and the closing NUL */

struct target {
	char path[MOUNTS_PATH_SIZE];    /* canonical: no link is in it */
	int parent;                     /* the directory above, held open; -1: it is not there */
	char at[MOUNTS_PATH_SIZE + 32]; /* the same place from there, for who mounts and unmounts */
	char id[TARGET_ID_SIZE];
	char prefix[32]; /* "socle.ID." */
	char run[48];    /* "/run/socle/ID" */
	char stage[56];  /* "/run/socle/ID/stage" */
};

/*
 * From an absolute path as a caller gives it. make: it is made with its parents where
 * it is not there; else what is not there keeps the path as it was given. From then on
 * the directory above is the one that was found here, whatever comes into the path; it
 * is that one, and not the target, that is open, for what is open cannot be unmounted.
 * target_hold() comes next. VALUE_INVALID, SYSTEM_CALL_FAILED.
 */
int target_open(const char *path, bool make, struct target *ret, struct err *e);

/* "socle.ID.N" */
void target_dm_name(const struct target *t, size_t number, char ret[MAPPED_NAME_SIZE]);

/*
 * The ID of a device-mapper name or an overlay's source: 1 and *ret, or 0 where it is
 * none of ours.
 */
int target_id_of(const char *name, char ret[TARGET_ID_SIZE]);

/*
 * Hold the target against others who mount or unmount it, for at most timeout_ms; the
 * kernel lets go when the holder dies. A descriptor; TARGET_IN_USE, and then the target
 * is closed.
 */
int target_hold(struct target *t, int timeout_ms, struct err *e);

/* Let go, close it, and take the directory away where nothing is left in it. */
void target_release(struct target *t, int *fd);

#endif
