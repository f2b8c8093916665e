/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_BASE_WRITE_H
#define IMAGE_BUILD_BASE_WRITE_H

#include <stddef.h>
#include <stdint.h>

/* Writes that go on after a signal or a short transfer. 0 or -errno. */
int write_all(int fd, const void *buf, size_t size);
int write_all_at(int fd, const void *buf, size_t size, uint64_t offset_bytes);

#endif
