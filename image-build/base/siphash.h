/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_BASE_SIPHASH_H
#define IMAGE_BUILD_BASE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

#define SIPHASH_KEY_SIZE 16

/*
 * SipHash-2-4: who does not know the key cannot choose inputs that collide.
 * Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012.
 */
uint64_t siphash(const uint8_t key[SIPHASH_KEY_SIZE], const void *bytes, size_t size);

#endif
