/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef LIB_IO_H
#define LIB_IO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Reads and writes that go on after a signal or a short transfer. The readers
 * return the number of bytes, less than size only at the end of the file; the
 * writers 0. -errno on failure.
 */
ssize_t io_read(int fd, void *buf, size_t size);
ssize_t io_pread(int fd, void *buf, size_t size, uint64_t offset_bytes);
int io_write(int fd, const void *buf, size_t size);
int io_pwrite(int fd, const void *buf, size_t size, uint64_t offset_bytes);

#endif
