/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_BASE_STORE_H
#define IMAGE_BUILD_BASE_STORE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/err.h"

/*
 * What a regular file holds: blocks of a store, the first of them at a known place,
 * the others right behind it. Nearly every file is all data; one with holes has a map
 * besides. The size stands with the inode.
 */
#define CONTENT_BLOCK     4096 /* bytes */
#define CONTENT_TAIL_UNIT 16   /* bytes */
#define CONTENT_NO_TAIL   UINT32_MAX

/* Blocks of the file that are data; what no run covers is a hole. */
struct content_run {
	uint32_t first, count; /* in blocks of the file */
};

/* In the store the runs stand one behind the other. */
struct content_map {
	size_t count;
	struct content_run runs[]; /* ascending, a hole between each two */
};

struct content {
	const struct store *store; /* borrowed; NULL where no byte is data */
	struct content_map *map;   /* owned; NULL: all data, no holes */
	uint32_t block;            /* where it begins in the store */
	uint32_t tail; /* where the bytes behind its last whole block are kept apart, in units
			* of the store's tails; CONTENT_NO_TAIL: they are in a block of their own.
			* One with a map has none. */
	uint32_t crc;  /* crc32c of its data; of the last block what belongs to the file */
};

/* How many blocks of the store are its own; without the tail if that is kept apart. */
uint32_t content_blocks(const struct content *c, uint64_t file_size);

/* The bytes of its tail where they are kept apart, else 0. */
size_t content_tail_size(const struct content *c, uint64_t file_size);
int content_read_tail(const struct content *c, uint64_t file_size, void *buf, struct err *e);

/*
 * Read from a file of file_size bytes, holes as zeroes. Returns the number of
 * bytes, 0 at the end, -errno on failure.
 */
ssize_t content_read(const struct content *c, uint64_t file_size, void *buf, size_t size,
		     uint64_t offset, struct err *e);

/* Another content that refers to the same bytes. */
struct content content_copy(const struct content *c);
void content_free(struct content *c);

/* Bytes that are added at the end of a file, many at a time. */
struct appender {
	int fd;           /* -1 for none */
	uint64_t written; /* where in the file the buffer belongs */
	uint8_t *buffer;
	size_t used;
};

/*
 * Where the contents of files go while they are read, and stay: a file that grows
 * at its end, in which each content begins at a block. It may be the file that
 * becomes the image. The bytes behind a file's last whole block may be kept apart,
 * in a file of tails.
 */
struct store {
	struct appender data, tails; /* the descriptors are the store's */
	uint32_t first_block;        /* of the first content */
	uint32_t blocks;             /* in use, those before the first content included */

	/* Of the content that is being added. */
	uint64_t end; /* bytes of the file so far, holes included */
	size_t run_count, run_room;
	struct content_run *runs;
};

/* A store of nothing, for store_close(). */
#define STORE_NONE                                                                                 \
	{                                                                                          \
		.data = { .fd = -1 }, .tails = {.fd = -1 }                                         \
	}

/* The first content begins at first_block of fd. tails is -1 where none are kept apart. */
void store_open(struct store *s, int fd, int tails, uint32_t first_block);
void store_close(struct store *s);

/*
 * Add data at an offset that is not below the end of what was added before. One
 * content after the other: each must be ended before the next begins.
 */
int content_add(struct content *c, struct store *s, const void *bytes, size_t size, uint64_t offset,
		struct err *e);

/*
 * That was all of a file of file_size bytes. A tail of at most tail_max bytes is
 * kept apart where the store has tails.
 */
int content_end(struct content *c, struct store *s, uint64_t file_size, size_t tail_max,
		struct err *e);

/*
 * Of a content whose blocks went to another store: its tail goes there, too, or stays
 * where no bytes are kept apart. Its own store is still the old one.
 */
int content_move_tail(struct content *c, struct store *to, uint64_t file_size, struct err *e);

/* Write what is still in memory, for whoever reads the files themselves. */
int store_flush(struct store *s, struct err *e);

/* Read what was written, in memory still or not: size or -errno. */
ssize_t appender_read(const struct appender *a, void *buf, size_t size, uint64_t at);

#endif
