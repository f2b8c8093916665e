/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DIFF_DIFF_ATTRIBUTES_H
#define IMAGE_BUILD_DIFF_DIFF_ATTRIBUTES_H

#include <stdint.h>
#include <sys/types.h>

#include "image-build/diff/differences.h"

/* What stat(2) tells of a file, from whatever kind of archive it comes. */
struct attributes {
	mode_t mode; /* with the file type */
	uint32_t uid, gid, links;
	uint64_t size; /* bytes */
	int64_t mtime_sec;
	uint32_t mtime_nsec;
	uint32_t device_major, device_minor;
};

/*
 * A difference for each that is not the same. Of two kinds of file nothing else is
 * worth a word: returns whether they are of one kind.
 */
bool diff_attributes(const struct attributes *a, const struct attributes *b, const char *place,
		     struct differences *d);

/* "a file of 12 bytes", "a directory". */
char *attributes_text(const struct attributes *a);

#endif
