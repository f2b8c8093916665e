/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef LIB_SHA256_H
#define LIB_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_SIZE 32 /* bytes */

/* SHA-256 (FIPS 180-4) of some bytes. For a path or a manifest, not for disks: it is plain C. */
void sha256(const void *data, size_t size, uint8_t ret[SHA256_SIZE]);

#endif
