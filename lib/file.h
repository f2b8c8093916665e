/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef LIB_FILE_H
#define LIB_FILE_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Read a small file whole, relative to a directory: text gets a closing NUL.
 * Returns its length; -errno on failure, -EFBIG where it does not fit into
 * size - 1 bytes.
 */
ssize_t file_read_at(int dirfd, const char *path, char *text, size_t size);

/* Write a whole text into a file that exists, as sysfs and procfs want it. 0 or -errno. */
int file_write_at(int dirfd, const char *path, const char *text);

#endif
