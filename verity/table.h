/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef VERITY_TABLE_H
#define VERITY_TABLE_H

#include <stddef.h>
#include <sys/types.h>

#include "verity/params.h"

/*
 * The text of a verity target's table line, as device-mapper shows and takes
 * it. Pure.
 *
 *   version data_dev hash_dev data_block_size hash_block_size data_blocks
 *   hash_start algorithm digest salt [count option …]
 *
 * Devices are major:minor.
 * Source: the kernel's Documentation/admin-guide/device-mapper/verity.rst.
 */

#define VERITY_TABLE_SIZE 2048

/* Where the parts of a device are. */
struct verity_parts {
	dev_t data, hash;
	dev_t fec;           /* 0: there is no parity */
	uint64_t hash_bytes; /* the size of the device with the tree; where there is parity */
};

/*
 * A line for parameters that are complete. key_name is that of the key with the
 * signature of the root hash, NULL: none.
 *
 * Parity covers what it was made of: all data blocks, and from the first block
 * of the tree on all of the hash device, to the end of it or to where the parity
 * itself starts, if that is on it. This is how veritysetup makes it.
 * -EINVAL where the parity starts in front of the tree's end, -E2BIG.
 */
int verity_table_print(const struct verity_params *p, const struct verity_parts *parts,
		       const char *key_name, char *out, size_t size);

/*
 * A line with other words about corruption and errors: those that it has
 * are taken out, and count words (one text with blanks between; none: "") stand
 * behind the other options. -EINVAL for a line of another shape, -E2BIG where it
 * does not fit.
 */
int verity_table_set_policy(const char *line, unsigned int count, const char *words, char *out,
			    size_t size);

/* The same line without an optional word and the word behind it; as above. */
int verity_table_drop_option(const char *line, const char *option, char *out, size_t size);

/*
 * The word behind an optional one, as "root_hash_sig_key_desc" has it: 1, or 0
 * where the line has no such option, or -EINVAL or -E2BIG as above.
 */
int verity_table_get_option(const char *line, const char *option, char *out, size_t size);

/*
 * A line as dm-init or anybody else may have loaded it, against parameters:
 * 1 where devices of data and tree, numbers, hash and salt are the same and the
 * optional words are none that weaken verification; else 0.
 */
int verity_table_matches(const char *line, const struct verity_params *p,
			 const struct verity_parts *parts);

#endif
