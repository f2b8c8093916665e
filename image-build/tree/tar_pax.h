/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_TREE_TAR_PAX_H
#define IMAGE_BUILD_TREE_TAR_PAX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

/*
 * A pax header's records, "<length> <key>=<value>\n".
 * Source: POSIX.1-2017, pax, "pax Extended Header".
 */
struct pax_record {
	const char *key;
	const char *value; /* may hold NULs; one more stands behind it */
	size_t size;       /* of the value, bytes */
};

struct pax {
	char *text;
	size_t count, room;
	struct pax_record *records; /* ascending by key; of several with one key the last */
	/* GNU.sparse.offset and .numbytes, in turn: version 0.0 repeats them. */
	size_t pair_count, pair_room;
	struct pax_record *pairs;
};

/*
 * Read size bytes of text, allocated with one byte more, which is p's from now
 * on. Refused: a record that is not one, a NUL in a key, a path, a link's target
 * or an owner's name.
 */
int pax_parse(struct pax *p, char *text, size_t size, struct err *e);
void pax_free(struct pax *p);

/* NULL where there is none, or one without a value: the header's own counts then. */
const struct pax_record *pax_find(const struct pax *p, const char *key);

/* A decimal number, all of it: digits with at most a minus before them. */
bool pax_number(const char *text, size_t size, int64_t *ret);

/* Seconds and what is behind the point, towards the past for a negative time. */
bool pax_time(const struct pax_record *record, int64_t *ret_sec, uint32_t *ret_nsec);

#endif
