/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef LIB_PAIRS_H
#define LIB_PAIRS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"

/*
 * A list of "key=value,key=value" taken apart, each key at most once. Pure; the
 * text is written to.
 */

#define PAIRS_KEYS_MAX 24

struct pairs {
	char *rest; /* NULL or the text that is left */
	bool skip_empty;
	size_t count;
	const char *seen[PAIRS_KEYS_MAX];
};

struct pair {
	const char *key;
	const char *value; /* NULL: a word without '=' */
};

/*
 * The next pair: 1, 0 at the end, or -EINVAL with KEY_REPEATED or
 * LIMIT_EXCEEDED. Nothing between two commas is a pair with an empty key, or,
 * with skip_empty, nothing.
 */
int pairs_next(struct pairs *p, struct pair *ret, struct err *e);

#endif
