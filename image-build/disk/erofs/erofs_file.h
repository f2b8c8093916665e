/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DISK_EROFS_EROFS_FILE_H
#define IMAGE_BUILD_DISK_EROFS_EROFS_FILE_H

#include "image-build/disk/erofs/erofs_format.h"
#include "image-build/tree/tree.h"
#include "lib/err.h"

/*
 * What an erofs has to say about the content of a regular file: the only place here
 * where struct content is looked at. Its blocks are the image's.
 */
struct erofs_file {
	enum erofs_layout layout;
	uint32_t block; /* PLAIN, INLINE: of its first byte; 0 if there is no whole one */
	uint32_t tail;  /* INLINE: bytes that are kept apart */
	/*
	 * CHUNKS: the largest power of two, of bytes, that cuts the file so that each chunk
	 * is all hole or all data, and how many of them there are.
	 */
	unsigned int chunk_bits;
	uint64_t chunks;
};

/*
 * Refused where contents do not stand in blocks from 1 to data_blocks, or a tail has
 * more than EROFS_TAIL_MAX bytes.
 */
int erofs_file_look(const struct inode *inode, uint32_t data_blocks, struct erofs_file *ret,
		    struct err *e);

/* The entries of an index in turn. Begin with these two, and the rest zero. */
struct erofs_index {
	const struct content *content;
	unsigned int chunk_bits;
	uint64_t chunk;    /* the next one */
	size_t run;        /* that may hold it */
	uint64_t in_store; /* where that run begins, in blocks from the content's first */
};

/* The block where the next chunk begins, or EROFS_NO_BLOCK for a hole. */
uint32_t erofs_index_next(struct erofs_index *x);

#endif
