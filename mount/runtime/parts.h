/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_RUNTIME_PARTS_H
#define MOUNT_RUNTIME_PARTS_H

#include <stdbool.h>

#include "mount/runtime/target.h"

/*
 * What there is of a target's mount, whoever made it and however far it came: the
 * kernel is asked, nothing is remembered.
 */

/* Further devices, and a scratch disk's two layers. */
#define PARTS_MAX 512

struct part {
	char name[VERITY_NAME_SIZE];
	unsigned int major, minor;
};

struct parts {
	bool mounted;  /* its target is what is mounted on its path */
	bool foreign;  /* something else is */
	bool writable; /* mounted: it has an upper */
	bool staged;   /* its stage is mounted */
	size_t count;  /* its devices, in no order */
	struct part part[PARTS_MAX];
};

/* Look; SYSTEM_CALL_FAILED, KERNEL_FEATURE_MISSING, LIMIT_EXCEEDED. */
int parts_find(const struct target *t, struct parts *ret, struct err *e);

/*
 * Take away what is not the target's mount itself: the stage with all that is mounted
 * in it, and the devices; one that somebody still has open goes when it is let go,
 * and *ret_left (may be NULL) says how many do. Never a failure: what is left is seen
 * by the next one who looks.
 */
void parts_clear(const struct target *t, unsigned int *ret_left);

#endif
