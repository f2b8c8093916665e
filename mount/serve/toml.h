/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_SERVE_TOML_H
#define MOUNT_SERVE_TOML_H

#include <stddef.h>

#include "lib/err.h"

/*
 * One text out of a TOML document (toml.io, version 1.0.0): as much of the language as
 * initdata is written in, which is tables, keys, the four kinds of strings, plain values
 * and arrays of these. The whole document is read, so that nothing inside of a string or
 * an array is taken for a key; what is not understood (dotted keys, inline tables, arrays of
 * tables) is refused by name and line. Pure.
 */

#define TOML_SIZE_MAX  2097152 /* bytes of a document */
#define TOML_NAMES_MAX 128     /* tables, or keys of one table */
#define TOML_NAME_SIZE 128     /* bytes of a name, with the NUL */
#define TOML_DEPTH_MAX 8       /* arrays within arrays */

/*
 * Find the text of table's key in size bytes of text, which have a closing NUL behind
 * them: 1 and the text, unescaped and with a closing NUL, in out; 0: there is no such
 * key. out has size + 1 bytes: no text gets longer. Refused: DESCRIPTION_INVALID;
 * KEY_REPEATED for a table or key that comes twice anywhere; LIMIT_EXCEEDED.
 */
int toml_find(const char *text, size_t size, const char *table, const char *key, char *out,
	      size_t *ret_length, struct err *e);

#endif
