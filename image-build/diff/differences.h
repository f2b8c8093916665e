/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DIFF_DIFFERENCES_H
#define IMAGE_BUILD_DIFF_DIFFERENCES_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * What was found to differ, in the order in which it was found: printed at once
 * as a line "PLACE: WHAT: A | B" or "PLACE: WHAT: only in A: A", or kept for JSON.
 */
struct differences {
	struct json_object *list; /* NULL: print lines */
	size_t count;
};

/*
 * One difference at a place ("layer-00.img /etc/motd"). a and b say what each side
 * has, NULL: nothing; both NULL: there is no more to say than what differs. Control characters of
 * either are made printable.
 */
void differences_add(struct differences *d, const char *place, const char *what, const char *a,
		     const char *b);

/* Two numbers, where they are not the same. */
void differences_number(struct differences *d, const char *place, const char *what,
			unsigned long long a, unsigned long long b);

/* Bytes, from the first that is not the same. */
void differences_content(struct differences *d, const char *place, unsigned long long first);

#endif
