/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DISK_VERITY_FORMAT_H
#define IMAGE_BUILD_DISK_VERITY_FORMAT_H

#include <stdint.h>

#include "lib/err.h"
#include "lib/uuid.h"
#include "verity/params.h"

/*
 * Append dm-verity to a file: one superblock right behind the data, the tree at
 * the next hash block, both in the same file, which grows to a whole number of
 * hash blocks. The tree is libcryptsetup's work.
 *
 * On entry p carries hash, format, block sizes, data_blocks and salt (no salt
 * is no salt, never a random one), and the file holds exactly data_blocks of
 * data. On success root hash and hash start are filled in; on failure p is
 * untouched and the file may carry half a tree.
 */
int verity_format(const char *path, struct verity_params *p, const uint8_t uuid[UUID_SIZE],
		  struct err *e);

#endif
