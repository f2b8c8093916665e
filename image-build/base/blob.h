/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_BASE_BLOB_H
#define IMAGE_BUILD_BASE_BLOB_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#include "image-build/base/digest.h"
#include "image-build/base/ring.h"
#include "image-build/base/store.h"
#include "image-build/base/unpack.h"
#include "lib/err.h"

/*
 * A blob read as a stream: unpacked, and with the digests of what was stored
 * and of what came out taken on the way. A packed one has any number of streams,
 * and behind those of gzip zeroes may follow, which tar's blocks leave.
 *
 * Threads do what can be done beside each other: one reads and hashes what is
 * stored, one unpacks, one hashes what came out. Bytes that are stored plain are
 * hashed once if both digests are of one kind.
 */
#define BLOB_THREADS 3

struct blob {
	/* For whoever reads it. */
	uint64_t plain_bytes; /* read so far */
	uint64_t plain_end;   /* behind the last one of them that is not zero */
	bool plain_ended;     /* all have been read */

	int fd; /* borrowed */
	enum compression compression;
	_Atomic uint64_t *progress;
	struct ring stored, unpacked; /* unpacked is closed where nothing has to be unpacked */
	struct ring *plain;           /* one of them */
	pthread_t threads[BLOB_THREADS];
	size_t thread_count;
	atomic_bool stop; /* whatever is still to be read is wanted by nobody */

	/* The threads', and after blob_finish() everybody's. */
	struct hasher stored_hasher, plain_hasher;
	bool hashed_once; /* the digest of what is stored is that of what is plain */
	uint64_t stored_bytes;
	int read_result;
	struct err read_error;
};

struct blob_digests {
	struct digest stored, plain;
	uint64_t stored_bytes;
};

/* Stored bytes read are added to *progress, which may be NULL. Close it in every case. */
int blob_open(struct blob *b, int fd, enum compression compression, const char *stored_algorithm,
	      const char *plain_algorithm, _Atomic uint64_t *progress, struct err *e);

/* The next plain bytes, valid until the next call: their number, 0 at the end, or -errno. */
ssize_t blob_read(struct blob *b, const void **ret, struct err *e);

/*
 * Nothing more is wanted but the digests: that of what is stored is of all of it
 * whatever was read, that of what is plain only of use where all was read. Fails
 * where the blob cannot be read to its end.
 */
int blob_finish(struct blob *b, struct blob_digests *ret, struct err *e);

void blob_close(struct blob *b);

/*
 * Read a whole file into a store, unpacked where its first bytes say that it is
 * packed, as kernel modules are. max is a limit on the plain bytes.
 */
int blob_read_file(const char *path, uint64_t max, struct store *s, struct content *ret,
		   uint64_t *ret_size, struct err *e);

#endif
