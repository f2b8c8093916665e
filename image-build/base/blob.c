// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/base/blob.h"

#include <stdbool.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "image-build/base/limits.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "lib/io.h"

#define IN_SIZE  (128 << 10)
#define OUT_SIZE (256 << 10)

void blob_open(struct blob *b, int fd, enum compression compression, const char *stored_algorithm,
	       const char *plain_algorithm, _Atomic uint64_t *progress)
{
	*b = (struct blob){ .fd = fd, .compression = compression, .progress = progress };
	b->in = memory_zero(1, IN_SIZE);
	b->out = memory_zero(1, OUT_SIZE);
	b->between_members = 1;
	hasher_start(&b->stored, stored_algorithm);
	hasher_start(&b->plain, plain_algorithm);
}

void blob_close(struct blob *b)
{
	if (b->compression == COMPRESSION_GZIP && b->decoder) {
		inflateEnd(b->decoder);
		free(b->decoder);
	}
	if (b->compression == COMPRESSION_ZSTD)
		ZSTD_freeDStream(b->decoder);
	b->decoder = NULL;
	free(b->in);
	free(b->out);
	b->in = b->out = NULL;
	hasher_stop(&b->stored);
	hasher_stop(&b->plain);
}

/* What a compressed stream begins with. */
static bool looks_right(const struct blob *b)
{
	static const uint8_t gzip[] = { 0x1f, 0x8b }, zstd[] = { 0x28, 0xb5, 0x2f, 0xfd },
			     skippable[] = { 0x2a, 0x4d, 0x18 };
	bool is_gzip = b->in_size >= 2 && !memcmp(b->in, gzip, 2);
	bool is_zstd = b->in_size >= 4 && !memcmp(b->in, zstd, 4);

	/* zstd may begin with a skippable frame: 0x184D2A50 to 0x184D2A5F. */
	if (b->in_size >= 4 && (b->in[0] & 0xf0) == 0x50 && !memcmp(b->in + 1, skippable, 3))
		is_zstd = true;
	switch (b->compression) {
	case COMPRESSION_GZIP:
		return is_gzip;
	case COMPRESSION_ZSTD:
		return is_zstd;
	case COMPRESSION_NONE:
		break;
	}
	/* A tar's first bytes are a name. Both magics are impossible in practice. */
	return !is_gzip && !is_zstd;
}

static int refill(struct blob *b, struct err *e)
{
	static const char *const names[] = { "an uncompressed tar", "gzip", "zstd" };
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
	if (first && !looks_right(b))
		return refuse(e, "its media type says %s, but its bytes do not",
			      names[b->compression]);
	return 0;
}

static ssize_t read_plain(struct blob *b, const void **ret, struct err *e)
{
	int r = refill(b, e);
	size_t size;

	if (r)
		return r;
	size = b->in_size - b->in_at;
	*ret = b->in + b->in_at;
	b->in_at = b->in_size;
	return (ssize_t)size;
}

/* Behind the last gzip member: padding of zeroes or nothing. */
static int skip_padding(struct blob *b, struct err *e)
{
	while (b->in_at < b->in_size) {
		if (b->in[b->in_at++])
			return refuse(e, "bytes that are not gzip follow its last gzip member");
		if (b->in_at == b->in_size) {
			int r = refill(b, e);

			if (r)
				return r;
		}
	}
	b->finished = 1;
	return 0;
}

/* Begin the next gzip member, or see that there is none. */
static int gzip_next_member(struct blob *b, struct err *e)
{
	z_stream *z = b->decoder;

	if (!z) {
		b->decoder = z = memory_zero(1, sizeof(*z));
		if (inflateInit2(z, 15 + 16) != Z_OK)
			return refuse(e, "zlib cannot be initialised");
	} else if (b->in_at == b->in_size || b->in[b->in_at] == 0) {
		return skip_padding(b, e);
	} else if (b->in[b->in_at] != 0x1f) {
		return refuse(e, "bytes that are not gzip follow its last gzip member");
	} else {
		inflateReset(z);
	}
	b->between_members = 0;
	return 0;
}

static ssize_t read_gzip(struct blob *b, const void **ret, struct err *e)
{
	size_t got = 0;

	while (!got && !b->finished) {
		z_stream *z;
		int r = refill(b, e);

		if (!r && b->between_members)
			r = gzip_next_member(b, e);
		if (r)
			return r;
		if (b->finished)
			break;
		z = b->decoder;
		z->next_in = b->in + b->in_at;
		z->avail_in = (uInt)(b->in_size - b->in_at);
		z->next_out = b->out;
		z->avail_out = OUT_SIZE;
		r = inflate(z, Z_NO_FLUSH);
		if (r != Z_OK && r != Z_STREAM_END && r != Z_BUF_ERROR)
			return refuse(e, "its gzip stream is damaged: %s",
				      z->msg ? z->msg : "data error");
		b->in_at = b->in_size - z->avail_in;
		got = OUT_SIZE - z->avail_out;
		if (r == Z_BUF_ERROR && !got && b->input_ended)
			return refuse(e, "its gzip stream is cut short");
		b->between_members = r == Z_STREAM_END;
	}
	*ret = b->out;
	return (ssize_t)got;
}

static ssize_t read_zstd(struct blob *b, const void **ret, struct err *e)
{
	ZSTD_outBuffer out = { b->out, OUT_SIZE, 0 };

	if (!b->decoder)
		b->decoder = ZSTD_createDStream();
	while (!out.pos) {
		ZSTD_inBuffer in;
		size_t hint;
		int r = refill(b, e);

		if (r)
			return r;
		/* With nothing left to read, what is still in the decoder may come out. */
		if (b->in_at == b->in_size && b->between_members)
			break;
		in = (ZSTD_inBuffer){ b->in, b->in_size, b->in_at };
		hint = ZSTD_decompressStream(b->decoder, &out, &in);
		if (ZSTD_isError(hint))
			return refuse(e, "its zstd stream is damaged: %s", ZSTD_getErrorName(hint));
		if (b->in_at == b->in_size && !out.pos)
			return refuse(e, "its zstd stream is cut short");
		b->in_at = in.pos;
		b->between_members = hint == 0;
	}
	*ret = b->out;
	return (ssize_t)out.pos;
}

ssize_t blob_read(struct blob *b, const void **ret, struct err *e)
{
	const uint8_t *bytes;
	ssize_t n = 0;

	switch (b->compression) {
	case COMPRESSION_NONE:
		n = read_plain(b, ret, e);
		break;
	case COMPRESSION_GZIP:
		n = read_gzip(b, ret, e);
		break;
	case COMPRESSION_ZSTD:
		n = read_zstd(b, ret, e);
		break;
	}
	if (n <= 0)
		return n;
	bytes = *ret;
	hasher_add(&b->plain, bytes, (size_t)n);
	for (ssize_t i = n; i > 0; i--)
		if (bytes[i - 1]) {
			b->plain_end = b->plain_bytes + (uint64_t)i;
			break;
		}
	b->plain_bytes += (uint64_t)n;
	if (b->plain_bytes > LIMIT_LAYER_BYTES)
		return refuse_limit(e, "it unpacks to more than %llu bytes", LIMIT_LAYER_BYTES);
	return n;
}
