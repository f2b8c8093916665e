/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_DESCRIBE_DESCRIBE_H
#define MOUNT_DESCRIBE_DESCRIBE_H

#include "mount/describe/given.h"

/*
 * From a description of volumes, in one of the forms in which agents get them, to
 * a stack. Pure: nothing is opened, and what is hostile is refused here.
 *
 * Each form has a file and a row in describe.c. What a form cannot say the caller
 * does (given.h).
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

/*
 * Fill a stack from size bytes of text with a closing NUL. Everything is checked
 * that can be without a device: volume_finish() of each; that no volume lacks
 * verity (VERITY_MISSING) unless the caller allows it for exactly this one, however
 * many others have none either; that each has a disk; that whatever was given is for
 * a volume that is there. DESCRIPTION_INVALID, DESCRIPTION_UNSUPPORTED (a form that is
 * refused by name), KEY_UNKNOWN, KEY_REPEATED and LIMIT_EXCEEDED; what volume_finish()
 * says, and of our own form and what is given what socle-init(8) has for them.
 * *ret's bytes mean nothing on failure.
 */
int describe(enum describe_form form, const char *text, size_t size,
	     const struct describe_given *given, struct stack *ret, struct err *e);

#endif
