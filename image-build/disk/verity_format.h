/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DISK_VERITY_FORMAT_H
#define IMAGE_BUILD_DISK_VERITY_FORMAT_H

#include <stdint.h>

#include "image-build/disk/tree_write.h"
#include "lib/err.h"
#include "lib/uuid.h"
#include "verity/params.h"

/*
 * Append dm-verity to a file: one superblock right behind the data, the tree at
 * the next hash block, both in the same file, which grows to a whole number of
 * hash blocks. Byte for byte what `veritysetup format` makes of the same data,
 * salt and UUID.
 *
 * p carries hash, format, block sizes, data_blocks and salt (no salt is no salt,
 * never a random one), and the file, open for both, holds exactly data_blocks of
 * data. On success root hash and hash start are filled in; on failure p is
 * untouched and the file may carry half a tree.
 */
int verity_format(int fd, struct verity_params *p, const uint8_t uuid[UUID_SIZE], struct err *e);

/*
 * The same in steps: this writes all but the tree and begins with that one, whose
 * parts and close are the caller's. m->p is then what p becomes above.
 */
int verity_format_open(struct tree_making *m, int fd, const struct verity_params *p,
		       const uint8_t uuid[UUID_SIZE], struct err *e);

#endif
