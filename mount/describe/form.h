/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_DESCRIBE_FORM_H
#define MOUNT_DESCRIBE_FORM_H

#include "mount/describe/given.h"
#include "mount/describe/hostile_json.h"

/*
 * The forms that are JSON: each adds its volumes to an initialised stack with
 * stack_add(), topmost first, and fills in what the description says: proof, verity,
 * superblock, file system, options, further devices, an upper. What the caller says of a
 * volume (given) a form looks at only where it cannot be read without: a sidecar. Where
 * the description has a path of the host in the place of a disk, data stays
 * DEVREF_NONE. describe() does what is the same for all: the given devices, verity
 * that lacks, volume_finish().
 */
struct form_reader {
	/* Is it this form, by its content alone? */
	bool (*looks_like)(struct json_object *root);
	int (*read)(struct json_object *root, const struct describe_given *given, struct stack *s,
		    struct err *e);
};

extern const struct form_reader form_kata_volume, form_containerd, form_kata_storage, form_socle;

/* An image that was pulled in the guest: its directories, which the caller has to give. */
int form_take_directories(const struct describe_given *given, struct stack *s, struct err *e);

#endif
