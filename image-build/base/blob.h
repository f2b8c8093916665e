/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_BASE_BLOB_H
#define IMAGE_BUILD_BASE_BLOB_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#include "image-build/base/digest.h"
#include "image-build/base/store.h"
#include "image-build/base/unpack.h"
#include "lib/err.h"

/*
 * A blob read as a stream: unpacked, and with the digests of what was stored
 * and of what came out taken on the way. A packed one has any number of streams,
 * and behind those of gzip zeroes may follow, which tar's blocks leave.
 */
struct blob {
	int fd; /* borrowed */
	enum compression compression;
	_Atomic uint64_t *progress; /* stored bytes read are added here; may be NULL */
	uint64_t stored_bytes;
	uint64_t plain_bytes;
	uint64_t plain_end; /* behind the last byte of the plain stream that is not zero */
	struct hasher stored, plain;
	struct unpacker unpacker;
	bool input_ended, finished;
	uint8_t *in, *out;
	size_t in_at, in_size;
};

void blob_open(struct blob *b, int fd, enum compression compression, const char *stored_algorithm,
	       const char *plain_algorithm, _Atomic uint64_t *progress);

/* The next plain bytes, valid until the next call: their number, 0 at the end, or -errno. */
ssize_t blob_read(struct blob *b, const void **ret, struct err *e);

void blob_close(struct blob *b);

/*
 * Read a whole file into a store, unpacked where its first bytes say that it is
 * packed, as kernel modules are. max is a limit on the plain bytes.
 */
int blob_read_file(const char *path, uint64_t max, struct store *s, struct content *ret,
		   uint64_t *ret_size, struct err *e);

#endif
