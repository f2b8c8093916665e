// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/base/blob.h"

#include <fcntl.h>
#include <string.h>

#include "image-build/base/limits.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/base/streams.h"
#include "lib/cleanup.h"
#include "lib/io.h"

/* Of a ring of plain bytes: who calls blob_read(), and who hashes. */
enum { READER, HASHER };

/* What the stream begins with, or one that follows it. */
static enum compression find_compression(const uint8_t *bytes, size_t size)
{
	static const uint8_t skippable[] = { 0x2a, 0x4d, 0x18 };

	/* zstd's skippable frames may stand anywhere: 0x184D2A50 to 0x184D2A5F. */
	if (size >= 4 && (bytes[0] & 0xf0) == 0x50 && !memcmp(bytes + 1, skippable, 3))
		return COMPRESSION_ZSTD;
	return compression_of(bytes, size);
}

/* A tar's first bytes are a name: the magics are impossible in practice. */
static int check_beginning(const struct blob *b, const uint8_t *bytes, size_t size, struct err *e)
{
	if (find_compression(bytes, size) == b->compression)
		return 0;
	return refuse(e, "its media type says %s, but its bytes do not",
		      b->compression == COMPRESSION_NONE ? "an uncompressed tar" :
							   compression_name(b->compression));
}

/* Read one buffer, hash it and hand it on, if anybody wants it: its size, or -errno. */
static ssize_t read_buffer(struct blob *b, uint8_t *buffer, bool wanted)
{
	ssize_t n = io_read(b->fd, buffer, RING_BYTES);
	struct err e;

	if (n < 0)
		return system_result(&b->read_error, n, "read the blob");
	if (!b->stored_bytes && check_beginning(b, buffer, (size_t)n, &e))
		ring_end(&b->stored, -EINVAL, &e);
	else if (wanted && n && !b->stored.ended)
		ring_put(&b->stored, (size_t)n);
	hasher_add(&b->stored_hasher, buffer, (size_t)n);
	b->stored_bytes += (uint64_t)n;
	if (b->progress)
		atomic_fetch_add(b->progress, (uint64_t)n);
	return n;
}

/* To the end, also when nobody wants the bytes any more: their digest is wanted. */
static void *read_stored(void *context)
{
	struct blob *b = context;
	uint8_t *unwanted = NULL;
	ssize_t n;

	do {
		uint8_t *room = ring_room(&b->stored);

		if (!room && !unwanted)
			unwanted = memory_zero(1, RING_BYTES);
		n = read_buffer(b, room ? room : unwanted, room != NULL);
	} while (n == RING_BYTES && !atomic_load(&b->stop));
	b->read_result = n < 0 ? (int)n : 0;
	ring_end(&b->stored, b->read_result, &b->read_error);
	free(unwanted);
	return NULL;
}

static void *unpack(void *context)
{
	struct blob *b = context;

	streams_unpack(b->compression, LIMIT_LAYER_BYTES, &b->stored, &b->unpacked);
	return NULL;
}

static void *hash_plain(void *context)
{
	struct blob *b = context;
	const void *bytes;
	ssize_t n;

	while ((n = ring_next(b->plain, HASHER, &bytes, NULL)) > 0)
		hasher_add(&b->plain_hasher, bytes, (size_t)n);
	return NULL;
}

static int start(struct blob *b, void *(*run)(void *context), struct err *e)
{
	int r = pthread_create(&b->threads[b->thread_count], NULL, run, b);

	if (r)
		return system_result(e, -r, "start a thread");
	b->thread_count++;
	return 0;
}

int blob_open(struct blob *b, int fd, enum compression compression, const char *stored_algorithm,
	      const char *plain_algorithm, _Atomic uint64_t *progress, struct err *e)
{
	bool packed = compression != COMPRESSION_NONE;
	int r;

	*b = (struct blob){ .fd = fd, .compression = compression, .progress = progress };
	b->hashed_once = !packed && !strcmp(stored_algorithm, plain_algorithm);
	hasher_start(&b->stored_hasher, stored_algorithm);
	hasher_start(&b->plain_hasher, plain_algorithm);
	ring_open(&b->stored, packed || b->hashed_once ? 1 : 2);
	b->plain = &b->stored;
	if (packed) {
		ring_open(&b->unpacked, 2);
		b->plain = &b->unpacked;
	}
	r = start(b, read_stored, e);
	if (!r && packed)
		r = start(b, unpack, e);
	if (!r && !b->hashed_once)
		r = start(b, hash_plain, e);
	return r;
}

static void join(struct blob *b)
{
	/* Who has read all waits for who hashes all. */
	if (!b->plain_ended)
		ring_abandon(b->plain);
	for (size_t i = 0; i < b->thread_count; i++)
		pthread_join(b->threads[i], NULL);
	b->thread_count = 0;
}

void blob_close(struct blob *b)
{
	atomic_store(&b->stop, true);
	/* Whoever should read it may never have been started. */
	ring_abandon(&b->stored);
	join(b);
	ring_close(&b->stored);
	ring_close(&b->unpacked);
	hasher_stop(&b->stored_hasher);
	hasher_stop(&b->plain_hasher);
}

ssize_t blob_read(struct blob *b, const void **ret, struct err *e)
{
	ssize_t n = ring_next(b->plain, READER, ret, e);
	const uint8_t *bytes;

	b->plain_ended = n == 0;
	if (n <= 0)
		return n;
	bytes = *ret;
	for (ssize_t i = n; i > 0; i--)
		if (bytes[i - 1]) {
			b->plain_end = b->plain_bytes + (uint64_t)i;
			break;
		}
	b->plain_bytes += (uint64_t)n;
	return n;
}

int blob_finish(struct blob *b, struct blob_digests *ret, struct err *e)
{
	join(b);
	if (b->read_result) {
		if (e)
			*e = b->read_error;
		return b->read_result;
	}
	hasher_finish(&b->stored_hasher, &ret->stored);
	if (b->hashed_once)
		ret->plain = ret->stored;
	else
		hasher_finish(&b->plain_hasher, &ret->plain);
	ret->stored_bytes = b->stored_bytes;
	return 0;
}

static int store_blob(struct blob *b, uint64_t max, struct store *s, struct content *ret,
		      struct err *e)
{
	const void *bytes;
	ssize_t n;
	int r = 0;

	while (!r && (n = blob_read(b, &bytes, e))) {
		if (n < 0)
			return (int)n;
		r = content_add(ret, s, bytes, (size_t)n, b->plain_bytes - (uint64_t)n, e);
		if (!r && b->plain_bytes > max)
			r = refuse_limit(e, "it unpacks to more than %llu bytes",
					 (unsigned long long)max);
	}
	return r ? r : content_end(ret, s, b->plain_bytes, 0, e);
}

int blob_read_file(const char *path, uint64_t max, struct store *s, struct content *ret,
		   uint64_t *ret_size, struct err *e)
{
	int fd auto_fd = open(path, O_RDONLY | O_CLOEXEC);
	struct content content = { .store = NULL };
	uint8_t head[8];
	struct blob b;
	ssize_t n;
	int r;

	if (fd < 0)
		return system_failed(e, "open %s", path);
	n = io_pread(fd, head, sizeof(head), 0);
	if (n < 0)
		return system_result(e, n, "read %s", path);
	r = blob_open(&b, fd, find_compression(head, (size_t)n), "sha256", "sha256", NULL, e);
	if (!r)
		r = store_blob(&b, max, s, &content, e);
	if (!r) {
		*ret = content;
		*ret_size = b.plain_bytes;
	} else {
		content_free(&content);
	}
	blob_close(&b);
	return err_prefix(e, r, "%s: ", path);
}
