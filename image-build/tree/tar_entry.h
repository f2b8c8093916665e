/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_TREE_TAR_ENTRY_H
#define IMAGE_BUILD_TREE_TAR_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "image-build/tree/tar_header.h"
#include "image-build/tree/tar_pax.h"
#include "lib/err.h"

/*
 * What an entry of a tar is: its header, and over it what stands before it. Pure.
 */

/* Everything in it is the reader's, until the next call of tar_next(). */
struct tar_entry {
	char type; /* '0' file, '1' hard link, '2' to '6'; 'g' a global header; else unknown */
	const char *name, *link;
	int64_t mode, uid, gid;
	int64_t mtime_sec;
	uint32_t mtime_nsec;
	int64_t device_major, device_minor;
	uint64_t size;         /* of a file, holes included, bytes */
	const struct pax *pax; /* of a global header or of this entry */
};

/* What stands before an entry and describes it. */
struct tar_description {
	bool given; /* any of it */
	struct pax pax;
	char *long_name, *long_link;
};

/*
 * An entry that is not a global header: *ret but for the size, and in *size what the
 * tar has of its data, bytes. *ret refers to h and d.
 */
int tar_entry_describe(const struct tar_header *h, const struct tar_description *d,
		       struct tar_entry *ret, int64_t *size, struct err *e);

/* The name and the size that a sparse file's pax header gives over all else. */
int tar_entry_sparse(const struct pax *p, struct tar_entry *entry, int64_t *size, struct err *e);

/* Whether an entry of this type has data at all. */
bool tar_has_data(char type);

#endif
