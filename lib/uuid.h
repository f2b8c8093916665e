/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef LIB_UUID_H
#define LIB_UUID_H

#include <stdint.h>

#define UUID_SIZE      16                  /* bytes */
#define UUID_TEXT_SIZE (2 * UUID_SIZE + 5) /* four hyphens, and the closing NUL */

/* A UUID as RFC 9562 writes it, in lower case; its bytes stand in the order of the text. */
void uuid_text(const uint8_t uuid[UUID_SIZE], char text[UUID_TEXT_SIZE]);

#endif
