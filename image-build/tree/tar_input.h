/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_TREE_TAR_INPUT_H
#define IMAGE_BUILD_TREE_TAR_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "image-build/base/blob.h"
#include "lib/err.h"

/* The bytes of a tar, one after the other, as a blob has them in pieces. */
struct tar_input {
	struct blob *blob;    /* borrowed */
	const uint8_t *chunk; /* what of the blob's last piece is left */
	size_t left;
	uint64_t position; /* in the tar */
};

/* Have something in the chunk: 1, 0 at the end of the blob, or -errno. */
int tar_input_fill(struct tar_input *in, struct err *e);
void tar_input_consume(struct tar_input *in, size_t size);

/* Up to size bytes, to nowhere where to is NULL; *ret is fewer at the end alone. */
int tar_input_take(struct tar_input *in, void *to, uint64_t size, uint64_t *ret, struct err *e);

/* All of them, or the tar is cut short in what it names. */
int tar_input_take_all(struct tar_input *in, void *to, uint64_t size, const char *where,
		       struct err *e);
int tar_input_cut_short(const struct tar_input *in, const char *where, struct err *e);

#endif
