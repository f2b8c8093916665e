/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef LIB_OUT_H
#define LIB_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Text, or JSON, into memory of the caller's: cut at its end, with a closing NUL, while
 * the length goes on, so that the caller learns how much there would have been.
 */
struct out {
	char *text;
	size_t size;   /* bytes of it; 0: only the length is wanted, and text may be NULL */
	size_t length; /* of all that was put out, without a NUL */
	/* of JSON: */
	unsigned int depth; /* how many objects and arrays are open */
	bool more;          /* the innermost has something in it */
};

void out_printf(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A JSON string alone, with its quotation marks. */
void out_string(struct out *o, const char *text);

/*
 * JSON with a member or an entry a line, and two blanks for each level. key is NULL in an
 * array, and for the whole. Texts must be UTF-8 or are put out as they are.
 */
void out_open(struct out *o, const char *key, char bracket); /* '{' or '[' */
void out_close(struct out *o, char bracket);                 /* '}' or ']' */
void out_text(struct out *o, const char *key, const char *text);
void out_number(struct out *o, const char *key, uint64_t number);
void out_bool(struct out *o, const char *key, bool value);
void out_hex(struct out *o, const char *key, const uint8_t *bytes, size_t size);

#endif
