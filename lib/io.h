/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef LIB_IO_H
#define LIB_IO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Reads that go on after a signal or a short transfer: the number of bytes,
 * less than size only at the end of the file; -errno on failure.
 */
ssize_t io_read(int fd, void *buf, size_t size);
ssize_t io_pread(int fd, void *buf, size_t size, uint64_t offset_bytes);

/*
 * Read a small file whole, relative to a directory: text gets a closing NUL.
 * Returns its length; -errno on failure, -EFBIG where it does not fit into
 * size - 1 bytes. The second is for what is open already.
 */
ssize_t io_read_text(int dir, const char *path, char *text, size_t size);
ssize_t io_read_text_of(int fd, char *text, size_t size);

/* A write that goes on after a signal or a short transfer. 0 or -errno. */
int io_pwrite(int fd, const void *buf, size_t size, uint64_t offset_bytes);

/*
 * Write a whole text into a file that exists, in one call, as sysfs and procfs
 * want it. 0 or -errno.
 */
int io_write_text(int dir, const char *path, const char *text);

#endif
