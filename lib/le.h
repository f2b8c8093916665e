/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef LIB_LE_H
#define LIB_LE_H

#include <stddef.h>
#include <stdint.h>

/* Little-endian numbers of 1 to 8 bytes, at any address, on any machine. */
uint64_t le_get(const uint8_t *at, size_t size);

/* What does not fit is cut off. */
void le_put(uint8_t *at, size_t size, uint64_t value);

#endif
