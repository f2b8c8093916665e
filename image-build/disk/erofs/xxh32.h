/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DISK_EROFS_XXH32_H
#define IMAGE_BUILD_DISK_EROFS_XXH32_H

#include <stddef.h>
#include <stdint.h>

/* XXH32 as its specification has it (xxhash_spec.md, version 0.1.1). */
uint32_t xxh32_of(const void *bytes, size_t size, uint32_t seed);

#endif
