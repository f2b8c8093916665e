// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/base/blob.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>

#include "image-build/base/limits.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "lib/cleanup.h"
#include "lib/io.h"

#define IN_SIZE  (128 << 10)
#define OUT_SIZE (256 << 10)

void blob_open(struct blob *b, int fd, enum compression compression, const char *stored_algorithm,
	       const char *plain_algorithm, _Atomic uint64_t *progress)
{
	*b = (struct blob){ .fd = fd, .compression = compression, .progress = progress };
	b->in = memory_zero(1, IN_SIZE);
	b->out = memory_zero(1, OUT_SIZE);
	unpack_start(&b->unpacker, compression, LIMIT_LAYER_BYTES);
	hasher_start(&b->stored, stored_algorithm);
	hasher_start(&b->plain, plain_algorithm);
}

void blob_close(struct blob *b)
{
	unpack_stop(&b->unpacker);
	free(b->in);
	free(b->out);
	b->in = b->out = NULL;
	hasher_stop(&b->stored);
	hasher_stop(&b->plain);
}

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
static int check_beginning(const struct blob *b, struct err *e)
{
	if (find_compression(b->in, b->in_size) == b->compression)
		return 0;
	return refuse(e, "its media type says %s, but its bytes do not",
		      b->compression == COMPRESSION_NONE ? "an uncompressed tar" :
							   compression_name(b->compression));
}

static int refill(struct blob *b, struct err *e)
{
	bool first = b->stored_bytes == 0;
	ssize_t n;

	if (b->in_at < b->in_size || b->input_ended)
		return 0;
	n = io_read(b->fd, b->in, IN_SIZE);
	if (n < 0)
		return system_result(e, n, "read the blob");
	b->in_at = 0;
	b->in_size = (size_t)n;
	b->input_ended = n < IN_SIZE;
	b->stored_bytes += (uint64_t)n;
	hasher_add(&b->stored, b->in, (size_t)n);
	if (b->progress)
		atomic_fetch_add(b->progress, (uint64_t)n);
	return first ? check_beginning(b, e) : 0;
}

/* Behind the last member of gzip: padding of zeroes or nothing. */
static int skip_padding(struct blob *b, struct err *e)
{
	int r = refill(b, e);

	while (!r && b->in_at < b->in_size) {
		if (b->in[b->in_at++])
			return refuse(e, "bytes that are not gzip follow its last gzip member");
		r = refill(b, e);
	}
	b->finished = true;
	return r;
}

/* A stream has ended: begin the next one, or see that there is none. */
static int next_stream(struct blob *b, struct err *e)
{
	uint64_t left = b->unpacker.max - b->unpacker.plain;
	int r = refill(b, e);

	if (r)
		return r;
	if (b->compression == COMPRESSION_GZIP &&
	    (b->in_at == b->in_size || b->in[b->in_at] != 0x1f))
		return skip_padding(b, e);
	b->finished = b->in_at == b->in_size;
	unpack_stop(&b->unpacker);
	if (!b->finished)
		unpack_start(&b->unpacker, b->compression, left);
	return 0;
}

/* As much as comes out at once; 0: nothing is left. */
static ssize_t read_some(struct blob *b, struct err *e)
{
	struct unpack_io io = { .out = b->out, .out_size = OUT_SIZE };

	while (io.out_size == OUT_SIZE && !b->finished) {
		int r = b->unpacker.ended ? next_stream(b, e) : refill(b, e);

		if (r)
			return r;
		if (b->finished)
			break;
		io.in = b->in + b->in_at;
		io.in_size = b->in_size - b->in_at;
		r = unpack_run(&b->unpacker, &io, e);
		b->in_at = b->in_size - io.in_size;
		if (!r && io.out_size == OUT_SIZE && !io.in_size && b->input_ended &&
		    !b->unpacker.ended) {
			r = unpack_end(&b->unpacker, e);
			b->finished = true;
		}
		if (r)
			return r;
	}
	return (ssize_t)(OUT_SIZE - io.out_size);
}

ssize_t blob_read(struct blob *b, const void **ret, struct err *e)
{
	ssize_t n = read_some(b, e);

	*ret = b->out;
	if (n <= 0)
		return n;
	hasher_add(&b->plain, b->out, (size_t)n);
	for (ssize_t i = n; i > 0; i--)
		if (b->out[i - 1]) {
			b->plain_end = b->plain_bytes + (uint64_t)i;
			break;
		}
	b->plain_bytes += (uint64_t)n;
	return n;
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
	blob_open(&b, fd, find_compression(head, (size_t)n), "sha256", "sha256", NULL);
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
