/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_BASE_BLOB_H
#define IMAGE_BUILD_BASE_BLOB_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#include "image-build/base/digest.h"
#include "lib/err.h"

/* How a layer's tar is packed; the media type says so, and the bytes must agree. */
enum compression {
	COMPRESSION_NONE,
	COMPRESSION_GZIP, /* any number of members, then only zero bytes */
	COMPRESSION_ZSTD, /* any number of frames */
};

/*
 * A blob read as a stream: unpacked, and with the digests of what was stored
 * and of what came out taken on the way.
 */
struct blob {
	int fd; /* borrowed */
	enum compression compression;
	_Atomic uint64_t *progress; /* stored bytes read are added here; may be NULL */
	uint64_t stored_bytes;
	uint64_t plain_bytes;
	uint64_t plain_end; /* behind the last byte of the plain stream that is not zero */
	struct hasher stored, plain;
	void *decoder;
	int input_ended, between_members, finished;
	uint8_t *in, *out;
	size_t in_at, in_size;
};

void blob_open(struct blob *b, int fd, enum compression compression, const char *stored_algorithm,
	       const char *plain_algorithm, _Atomic uint64_t *progress);

/* The next plain bytes, valid until the next call: their number, 0 at the end, or -errno. */
ssize_t blob_read(struct blob *b, const void **ret, struct err *e);

void blob_close(struct blob *b);

#endif
