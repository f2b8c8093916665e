/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef LIB_STRICT_JSON_H
#define LIB_STRICT_JSON_H

#include <stddef.h>

/*
 * Is a text JSON, by the letter of RFC 8259? Looked at before json-c is given it,
 * which takes more than that, keeps the last of two members of one name, clamps
 * numbers and cuts names at a NUL. Pure; one pass, no recursion, nothing allocated.
 */

#define STRICT_JSON_DEPTH_MAX 63 /* arrays and objects in each other, whatever a caller allows */

struct strict_json {
	const char *wrong; /* NULL: it is JSON; else why not, in words */
	size_t at;         /* where that was seen, or what follows begins, in bytes */
	size_t members;    /* of all objects together, as the text has them */
};

/*
 * size bytes of text with a closing NUL behind them: one value, with no more than
 * depth_max arrays and objects in each other. Refused as well, for no producer
 * writes them and readers differ: a NUL in a member's name, half of a surrogate
 * pair, "-0", and whole numbers that 64 bits do not hold.
 */
struct strict_json strict_json_check(const char *text, size_t size, unsigned int depth_max);

/* The same of the first value of a text, with the blanks behind it; what follows it may be all. */
struct strict_json strict_json_first(const char *text, unsigned int depth_max);

#endif
