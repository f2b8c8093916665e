/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef LIB_HEX_H
#define LIB_HEX_H

#include <stddef.h>
#include <stdint.h>

/*
 * Decode an even number of hexadecimal digits, upper or lower case.
 * Returns the number of bytes, 0 for an empty text; -EINVAL for any other
 * character or an odd length, -E2BIG for more than size bytes. out is
 * untouched on failure.
 */
int hex_decode(const char *text, uint8_t *out, size_t size);

/* Encode in lower case; text holds 2 * size + 1 bytes. */
void hex_encode(const uint8_t *in, size_t size, char *text);

#endif
