/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_BASE_CHECKSUM_H
#define IMAGE_BUILD_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* The same as crc32c_of() of lib/crc32c.h, as fast as this machine can. */
uint32_t checksum(uint32_t crc, const void *bytes, size_t size);

/* The same without the processor's help. */
uint32_t checksum_by_table(uint32_t crc, const void *bytes, size_t size);

#endif
