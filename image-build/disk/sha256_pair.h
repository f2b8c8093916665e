/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DISK_SHA256_PAIR_H
#define IMAGE_BUILD_DISK_SHA256_PAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * SHA-256 of two messages at a time, for processors whose instructions for it (SHA-NI)
 * wait for their own results: one message fills the time in which the other waits. For
 * hash trees, whose blocks are independent of each other; libcrypto has no such call.
 */
#define SHA256_PAIR_PREFIX 63 /* bytes at most */

/* Whether this machine can. */
bool sha256_pair_usable(void);

/* Both begin with the same prefix; size is a multiple of 64. */
void sha256_pair(const uint8_t *prefix, size_t prefix_size, const uint8_t *const blocks[2],
		 size_t size, uint8_t *const digests[2]);

#endif
