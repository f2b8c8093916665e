// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/base/sink.h"

#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "lib/array.h"
#include "image-build/base/write.h"

#define OUT_SIZE   (128 << 10)
#define GZIP_LEVEL 9
#define ZSTD_LEVEL 19

int sink_parse_compression(const char *text, void *field, struct err *e)
{
	static const enum compression written[] = { COMPRESSION_NONE, COMPRESSION_GZIP,
						    COMPRESSION_ZSTD };

	for (size_t i = 0; i < ARRAY_SIZE(written); i++)
		if (!strcmp(text, compression_name(written[i]))) {
			*(enum compression *)field = written[i];
			return 0;
		}
	return refuse(e, "\"%.40s\" is not one of none, gzip, zstd", text);
}

int sink_open(struct sink *s, int fd, enum compression compression, struct err *e)
{
	*s = (struct sink){ .fd = fd, .compression = compression };
	s->out = memory_zero(1, OUT_SIZE);
	if (compression == COMPRESSION_GZIP) {
		s->encoder = memory_zero(1, sizeof(z_stream));
		if (deflateInit2(s->encoder, GZIP_LEVEL, Z_DEFLATED, 15 + 16, 9,
				 Z_DEFAULT_STRATEGY) != Z_OK)
			return refuse(e, "zlib cannot be initialised");
	} else if (compression == COMPRESSION_ZSTD) {
		s->encoder = ZSTD_createCCtx();
		if (!s->encoder ||
		    ZSTD_isError(ZSTD_CCtx_setParameter(s->encoder, ZSTD_c_compressionLevel,
							ZSTD_LEVEL)))
			return refuse(e, "zstd cannot be initialised");
	}
	return 0;
}

void sink_close(struct sink *s)
{
	if (s->compression == COMPRESSION_GZIP && s->encoder) {
		deflateEnd(s->encoder);
		free(s->encoder);
	} else if (s->compression == COMPRESSION_ZSTD) {
		ZSTD_freeCCtx(s->encoder);
	}
	s->encoder = NULL;
	free(s->out);
	s->out = NULL;
}

static int put_out(struct sink *s, const void *bytes, size_t size, struct err *e)
{
	int r = s->fd < 0 ? 0 : write_all(s->fd, bytes, size);

	s->written += size;
	return r ? system_result(e, r, "write the output") : 0;
}

static int put_gzip(struct sink *s, const void *bytes, size_t size, int flush, struct err *e)
{
	union {
		const void *in;
		Bytef *out;
	} input = { .in = bytes };
	z_stream *z = s->encoder;
	int r = 0;

	z->next_in = input.out;
	z->avail_in = (uInt)size;
	do {
		z->next_out = s->out;
		z->avail_out = OUT_SIZE;
		if (deflate(z, flush) == Z_STREAM_ERROR)
			return refuse(e, "zlib failed");
		r = put_out(s, s->out, OUT_SIZE - z->avail_out, e);
	} while (!r && z->avail_out == 0);
	return r;
}

static int put_zstd(struct sink *s, const void *bytes, size_t size, ZSTD_EndDirective end,
		    struct err *e)
{
	ZSTD_inBuffer in = { bytes, size, 0 };
	size_t left;
	int r = 0;

	do {
		ZSTD_outBuffer out = { s->out, OUT_SIZE, 0 };

		left = ZSTD_compressStream2(s->encoder, &out, &in, end);
		if (ZSTD_isError(left))
			return refuse(e, "zstd failed: %s", ZSTD_getErrorName(left));
		r = put_out(s, s->out, out.pos, e);
	} while (!r && (in.pos < in.size || (end == ZSTD_e_end && left)));
	return r;
}

int sink_put(struct sink *s, const void *bytes, size_t size, struct err *e)
{
	s->size += size;
	if (s->hasher)
		hasher_add(s->hasher, bytes, size);
	if (s->compression == COMPRESSION_GZIP)
		return put_gzip(s, bytes, size, Z_NO_FLUSH, e);
	if (s->compression == COMPRESSION_ZSTD)
		return put_zstd(s, bytes, size, ZSTD_e_continue, e);
	return put_out(s, bytes, size, e);
}

static int put_end(struct sink *s, struct err *e)
{
	if (s->compression == COMPRESSION_GZIP)
		return put_gzip(s, "", 0, Z_FINISH, e);
	if (s->compression == COMPRESSION_ZSTD)
		return put_zstd(s, "", 0, ZSTD_e_end, e);
	return 0;
}

int sink_finish(struct sink *s, unsigned int unit, struct err *e)
{
	int r = put_end(s, e);

	while (!r && s->written % unit)
		r = put_out(s, "", 1, e);
	return r;
}
