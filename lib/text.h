/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef LIB_TEXT_H
#define LIB_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What a grammar asks of a text. Pure.
 */

/* What follows a beginning; NULL where the text does not begin so. */
const char *text_behind(const char *text, const char *beginning);

/* Which word of a list, closed by NULL, the first size bytes of a text are; -1: none. */
int text_find(const char *const words[], const char *text, size_t size);

/*
 * A whole text that is one decimal number and nothing else: no sign, no
 * blanks, no trailing characters. -EINVAL for anything else, -ERANGE above
 * max. *ret is untouched on failure.
 */
int parse_u64(const char *text, uint64_t max, uint64_t *ret);

/* The same of the first size bytes of a text. */
int parse_u64_part(const char *text, size_t size, uint64_t max, uint64_t *ret);

/* tmpfs' own form of a size: a number above 0 with a unit (k, m, g), or a percentage of the memory.
 */
bool text_is_tmpfs_size(const char *text);

/* An absolute path of more than "/", without "." or "..", empty parts or control characters. */
bool text_is_path(const char *path);

#endif
