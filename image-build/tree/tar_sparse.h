/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_TREE_TAR_SPARSE_H
#define IMAGE_BUILD_TREE_TAR_SPARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image-build/tree/tar_input.h"
#include "image-build/tree/tar_pax.h"
#include "lib/err.h"

/*
 * Which pieces of a sparse file a tar carries, one behind the other.
 * Source: GNU tar's manual, "Storing Sparse Files".
 */
#define SPARSE_PIECES_MAX (1 << 20)

struct sparse_piece {
	int64_t offset, size; /* in the file, bytes */
};

struct sparse_map {
	size_t count, room;
	struct sparse_piece *pieces;
};

/* Of an old GNU header (type S) and the blocks that continue it; and the size with the holes. */
int sparse_read_old(struct sparse_map *m, struct tar_input *in, const uint8_t *header,
		    int64_t *ret_size, struct err *e);

enum sparse_form {
	SPARSE_NONE,
	SPARSE_IN_PAX,  /* versions 0.0 and 0.1 */
	SPARSE_IN_DATA, /* version 1.0 */
};

/* What a pax header says of it; refused where that is not one of the three versions. */
int sparse_form(const struct pax *p, enum sparse_form *ret, struct err *e);
int sparse_add_pax(struct sparse_map *m, const struct pax *p, struct err *e);

/* The lines in front of the file's data, of which they are a part: *data_left becomes less. */
int sparse_read_lines(struct sparse_map *m, struct tar_input *in, uint64_t *data_left,
		      struct err *e);

/* Ascending, inside of the file's size, and as many bytes as the tar has of it. */
int sparse_check(const struct sparse_map *m, int64_t file_size, int64_t stored, struct err *e);

#endif
