/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_DESCRIBE_DESCRIBE_H
#define MOUNT_DESCRIBE_DESCRIBE_H

#include "mount/stack.h"

/*
 * From a description of volumes, in one of the forms in which agents get them, to
 * a stack. Pure: nothing is opened, and what is hostile is refused here.
 *
 * Each form has a file and a row in describe.c. What a form cannot say the caller
 * does: which of the guest's disks is meant where the description has a path of
 * the host, and the numbers of a sidecar file that stays on the host.
 */

enum describe_form {
	DESCRIBE_KATA_VOLUME,  /* nydus-snapshotter's, JSON or base64 of it */
	DESCRIBE_CONTAINERD,   /* a list of mounts */
	DESCRIBE_KATA_STORAGE, /* what Kata's runtime sends to its agent */
	DESCRIBE_SOCLE,        /* our own */
	DESCRIBE_BY_CONTENT,   /* whichever it looks like */
};

/* Their names, in this order, with a closing NULL; by content has none. */
extern const char *const describe_forms[];

#define DESCRIBE_SIZE_MAX  1048576 /* bytes of a description */
#define DESCRIBE_DEPTH_MAX 16      /* of its JSON */

/* What the caller says of one volume of the stack, beside the description. */
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

/*
 * Fill a stack from size bytes of text with a closing NUL. Everything is checked
 * that can be without a device: volume_finish() of each; that no volume lacks
 * verity (VERITY_MISSING) unless the caller allows it for exactly this one, however
 * many others have none either; that whatever was given is for a volume that is there.
 * DESCRIPTION_INVALID, DESCRIPTION_UNSUPPORTED (a form that is refused by name), and
 * what volume_finish() says. *ret's bytes mean nothing on failure.
 */
int describe(enum describe_form form, const char *text, size_t size,
	     const struct describe_given *given, struct stack *ret, struct err *e);

#endif
