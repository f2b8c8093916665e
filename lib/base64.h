/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef LIB_BASE64_H
#define LIB_BASE64_H

#include <stddef.h>
#include <stdint.h>

/*
 * Decode base64 as in RFC 4648, section 4: with its padding, without blanks or
 * line ends, and with nothing in the bits that the last byte leaves over, so
 * that bytes have one text. Returns the number of bytes, 0 for an empty text;
 * -EINVAL for any other text, -E2BIG for more than size bytes. out is untouched
 * on failure.
 */
int base64_decode(const char *text, uint8_t *out, size_t size);

/* The same of the first length bytes of a text. */
int base64_decode_part(const char *text, size_t length, uint8_t *out, size_t size);

#endif
