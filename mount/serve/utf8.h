/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_SERVE_UTF8_H
#define MOUNT_SERVE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* RFC 3629: the shortest form of each character, no surrogates, none above U+10FFFF. Pure. */

bool utf8_is_valid(const char *text, size_t size);

/* One character's bytes: how many of them; 0 for what is none. */
size_t utf8_encode(uint32_t character, char ret[4]);

#endif
