/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_DESCRIBE_GIVEN_H
#define MOUNT_DESCRIBE_GIVEN_H

#include "mount/stack.h"

/*
 * What a caller says beside a description: which of the guest's disks is meant where the
 * description has a path of the host, and the numbers of a sidecar file that stays on
 * the host.
 */

#define DESCRIBE_SIZE_MAX  1048576 /* bytes of a description */
#define DESCRIBE_DEPTH_MAX 16      /* of its JSON */

/* Of one volume of the stack. */
struct describe_volume {
	const char *device;    /* a reference (mount/device/devref.h); NULL: the description's */
	const char *sidecar;   /* the text of containerd's .dmverity file; NULL: none */
	bool allow_unverified; /* nothing proves it, and the caller knows that */
};

struct describe_given {
	struct describe_volume volume[STACK_VOLUMES_MAX]; /* by volume-N's number */
	size_t directories; /* of an image that the guest pulled, topmost first */
	const char *directory[LAYERS_MAX];
	const char *upper; /* of mount/upper.h; NULL: the description's, or none */
};

#endif
