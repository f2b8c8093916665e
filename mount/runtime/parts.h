/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_RUNTIME_PARTS_H
#define MOUNT_RUNTIME_PARTS_H

#include <stdbool.h>

#include "mount/runtime/mark.h"
#include "mount/runtime/target.h"

/*
 * What there is of a target's mount, whoever made it and however far it came: the
 * kernel is asked, nothing is remembered.
 */

/* Further devices, and a scratch disk's two layers. */
#define PARTS_MAX 512

struct part {
	char name[MAPPED_NAME_SIZE];
	unsigned int major, minor;
};

struct parts {
	bool mounted;         /* its target is what is mounted on its path */
	bool foreign;         /* something else is */
	bool staged;          /* its stage is mounted */
	char mark[MARK_SIZE]; /* mounted: of its overlay, or empty */
	size_t uppers;        /* devices of a scratch disk */
	size_t count;         /* its devices, in no order */
	struct part part[PARTS_MAX];
};

/* Look; SYSTEM_CALL_FAILED, KERNEL_FEATURE_MISSING, LIMIT_EXCEEDED. */
int parts_find(const struct target *t, struct parts *ret, struct err *e);

/* As dm_each_device(); a kernel without device-mapper has no devices. */
int parts_each_device(const char *prefix,
		      int (*each)(void *context, const char *name, dev_t number), void *context);

/*
 * Take away what is not the target's mount itself: the stage with all that is mounted
 * in it, and the devices; one that somebody still has open goes when it is let go,
 * and *ret_left (may be NULL) says how many do. SYSTEM_CALL_FAILED
 * where device-mapper fails at it: what is left is seen by the next one who looks.
 */
int parts_clear(const struct target *t, unsigned int *ret_left, struct err *e);

/*
 * The name of the device through which a target is verified; and take one away that
 * was left by who was killed on it: while the target is held nobody needs it.
 */
void parts_verify_name(const struct target *t, char ret[MAPPED_NAME_SIZE]);
void parts_drop_verify(const struct target *t);

#endif
