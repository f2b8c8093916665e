/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DISK_FEC_WRITE_H
#define IMAGE_BUILD_DISK_FEC_WRITE_H

#include <stdint.h>

#include "image-build/base/slice.h"
#include "lib/err.h"
#include "verity/params.h"

/*
 * Parity by which dm-verity can mend blocks: Reed-Solomon over the data and the
 * hash tree, as veritysetup(8) makes it. Source: the kernel's
 * drivers/md/dm-verity-fec.h and .c; lib/reed_solomon for the field.
 */

/* How many bytes of parity p's data and tree get; both have one block size. */
int fec_size(const struct verity_params *p, uint64_t *ret, struct err *e);

/*
 * Read the data and, at p's hash start, the tree, and write the parity to an offset
 * of a file. p->fec_roots says how many bytes of 255 are parity, 2 to 24.
 */
int fec_write(const struct slice *data, const struct slice *hash_device,
	      const struct verity_params *p, int fd, uint64_t offset_bytes, struct err *e);

#endif
