/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_TREE_TAR_READ_H
#define IMAGE_BUILD_TREE_TAR_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image-build/tree/tar_entry.h"
#include "image-build/tree/tar_input.h"
#include "image-build/tree/tar_sparse.h"
#include "lib/err.h"

/*
 * A tar as a stream of entries. The bytes mean what Go's archive/tar says (its
 * reader.go), GNU tar mostly agrees; where Go's reading of something malformed
 * would be a guess, it is refused:
 *
 *  - an entry is named by its header, by the last pax header before it (values
 *    that are empty count for nothing), by GNU's long names, by GNU.sparse.name,
 *    each over the ones before; several pax headers are not added up;
 *  - only files of type 0, NUL and 7 and GNU's sparse ones (S) have data; links,
 *    directories, devices and pipes have none, whatever size they tell;
 *  - type NUL with a slash at the end of its name is a directory, type 0 never;
 *  - a global pax header changes nothing;
 *  - the tar ends with its first block of zeroes or with its last byte, and only
 *    zeroes may follow; the padding of the last file may be missing.
 */
#define TAR_SPECIAL_MAX (1 << 20) /* bytes of a pax header or a long name */

struct tar_reader {
	struct tar_input in;
	struct tar_description before; /* of the entry that was read last, or of the next */

	/* Of the entry that was read last. */
	struct tar_header header;
	bool sparse;
	struct sparse_map map;
	size_t piece;       /* of the map, under way */
	uint64_t in_piece;  /* bytes of it read */
	uint64_t data_left; /* bytes of data that the tar still has of it */
	size_t padding;
};

void tar_open(struct tar_reader *t, struct blob *b);
void tar_close(struct tar_reader *t);

/* The next entry: 1, 0 at the end, where all of the blob has been read, or -errno. */
int tar_next(struct tar_reader *t, struct tar_entry *ret, struct err *e);

/*
 * The next piece of the last entry's data and where in the file it belongs,
 * valid until the next call: 1, 0 at the end, or -errno.
 */
int tar_data(struct tar_reader *t, const void **ret, size_t *ret_size, uint64_t *ret_offset,
	     struct err *e);

#endif
