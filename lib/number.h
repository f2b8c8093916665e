/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef LIB_NUMBER_H
#define LIB_NUMBER_H

#include <stdint.h>

/*
 * A whole text that is one decimal number and nothing else: no sign, no
 * blanks, no trailing characters. -EINVAL for anything else, -ERANGE above
 * max. *ret is untouched on failure.
 */
int parse_u64(const char *text, uint64_t max, uint64_t *ret);

#endif
