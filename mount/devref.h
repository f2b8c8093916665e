/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_DEVREF_H
#define MOUNT_DEVREF_H

#include <stddef.h>

#include "lib/err.h"

/*
 * A device reference: how the command line names a block device. It is text
 * until mount/resolve.c finds the one device that answers to it.
 *
 *   /dev/vda1        the kernel's own name
 *   254:0            major:minor
 *   SERIAL=x         the disk's serial number: virtio-blk, SCSI, NVMe
 *   PARTUUID=x       the partition's id, upper or lower case
 *   PARTLABEL=x      the partition's name (GPT)
 *   UUID=x LABEL=x   of the file system, upper or lower case for UUID=
 *
 * In the value after '=', \xHH stands for any byte but NUL, so that a comma
 * (\x2c) or a space (\x20) can be named.
 */

enum devref_kind {
	DEVREF_NONE, /* no reference */
	DEVREF_PATH,
	DEVREF_NUMBER,
	DEVREF_SERIAL,
	DEVREF_PARTUUID,
	DEVREF_PARTLABEL,
	DEVREF_UUID,
	DEVREF_LABEL,
};

/* A GPT name is 36 UTF-16 units, each up to 3 bytes of UTF-8. */
#define DEVREF_VALUE_SIZE 112

struct devref {
	enum devref_kind kind;
	unsigned int major, minor;     /* DEVREF_NUMBER */
	char value[DEVREF_VALUE_SIZE]; /* all others; a path without its /dev/ */
};

/* Pure. -EINVAL (VALUE_INVALID) for anything that is not one of the forms. */
int devref_parse(const char *text, struct devref *ret, struct err *e);

/* The reference as text again, for messages and for the plan. Returns buf. */
const char *devref_print(const struct devref *ref, char *buf, size_t size);

/* Bytes that hold any printed reference. */
#define DEVREF_TEXT_SIZE (4 * DEVREF_VALUE_SIZE + 16)

#endif
