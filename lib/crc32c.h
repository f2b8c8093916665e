/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef LIB_CRC32C_H
#define LIB_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/*
 * The checksum of iSCSI (RFC 3720, appendix B.4), as file systems use it: crc is
 * what came before, ~0 at the start, and the result is not inverted.
 */
uint32_t crc32c_of(uint32_t crc, const void *bytes, size_t size);

#endif
