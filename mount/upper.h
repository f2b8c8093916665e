/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_UPPER_H
#define MOUNT_UPPER_H

#include <stdbool.h>

#include "mount/device/devref.h"

/*
 * What of a stack is written to. A plain value.
 */

#define UPPER_PATH_SIZE 1024 /* bytes of a directory's path, with the NUL */
#define UPPER_SIZE_SIZE 24   /* of a tmpfs size: "50%", "512m" */

enum upper_kind {
	UPPER_NONE,      /* the target is read-only; the default */
	UPPER_TMPFS,     /* in memory */
	UPPER_DIRECTORY, /* upper/ and work/ in a directory of the caller's */
	UPPER_DISK,      /* on a scratch disk */
};

/* Their words, with a closing NULL: none, tmpfs, dir, disk. */
extern const char *const upper_kind_words[];

struct upper {
	enum upper_kind kind;
	char size[UPPER_SIZE_SIZE];      /* UPPER_TMPFS; empty: the kernel's default */
	char directory[UPPER_PATH_SIZE]; /* UPPER_DIRECTORY: absolute */
	struct devref disk;              /* UPPER_DISK */
	bool encrypted;                  /* UPPER_DISK: dm-crypt with a key of this mount */
	bool integrity;                  /* UPPER_DISK: and what comes back is checked */
};

/*
 * Take "none", "tmpfs[,size=SIZE]", "dir:/PATH" or
 * "disk:REFERENCE[,encrypted[,integrity]]" as the upper; "encrypt" is the same as
 * "encrypted". VALUE_INVALID. Pure.
 */
int upper_parse(const char *text, struct upper *ret, struct err *e);

/* Bytes of any upper as text. */
#define UPPER_TEXT_SIZE (UPPER_PATH_SIZE + DEVREF_TEXT_SIZE)

/* The same words again, for messages and plans. Returns text. */
const char *upper_print(const struct upper *u, char text[UPPER_TEXT_SIZE]);

#endif
