/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_BASE_UNPACK_H
#define IMAGE_BUILD_BASE_UNPACK_H

#include <stdbool.h>

#include "image-build/base/codec.h"
#include "image-build/base/memory.h"
#include "lib/err.h"

/* How bytes are packed. */
enum compression {
	COMPRESSION_NONE,
	COMPRESSION_GZIP,       /* RFC 1952 */
	COMPRESSION_ZSTD,       /* RFC 8878 */
	COMPRESSION_XZ,         /* tukaani.org/xz/xz-file-format.txt */
	COMPRESSION_LZ4,        /* LZ4's frame: lz4_Frame_format.md */
	COMPRESSION_LZ4_LEGACY, /* as the kernel takes it (lz4 -l): lib/decompress_unlz4.c */
};

/* "gzip" and so on; "none". */
const char *compression_name(enum compression c);

/* By its first bytes. COMPRESSION_NONE where they are nothing of this. */
enum compression compression_of(const uint8_t *bytes, size_t size);

/*
 * One packed stream on its way out: a member of gzip, a frame of zstd or LZ4, a
 * stream of xz. What may follow behind its end is the caller's to know.
 */
struct unpacker {
	enum compression compression; /* none of them: bytes go through, and never end */
	void *state;
	uint64_t max;   /* plain bytes at most */
	uint64_t plain; /* bytes that came out so far */
	bool ended;     /* the stream said that it is at its end */
	bool may_end;   /* or the input may end here */
};

void unpack_start(struct unpacker *u, enum compression c, uint64_t max);

/*
 * Go on as far as input and room lead: one of the two is used up afterwards, or the
 * stream has ended. Fails where it is damaged, or unpacks to more than max.
 */
int unpack_run(struct unpacker *u, struct unpack_io *io, struct err *e);

/* There is no more input: fails where the stream is not at its end. */
int unpack_end(const struct unpacker *u, struct err *e);

void unpack_stop(struct unpacker *u);

/*
 * The one stream that bytes begin with, added to ret. *used are its own bytes. After a
 * failure ret has what came out before.
 */
int unpack_memory(enum compression c, const uint8_t *bytes, size_t size, uint64_t max,
		  struct buffer *ret, size_t *used, struct err *e);

#endif
