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
	static const struct {
		const char *name;
		enum compression compression;
	} known[] = {
		{ "none", COMPRESSION_NONE },
		{ "gzip", COMPRESSION_GZIP },
		{ "zstd", COMPRESSION_ZSTD },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(text, known[i].name)) {
			*(enum compression *)field = known[i].compression;
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
	int r = write_all(s->fd, bytes, size);

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
	switch (s->compression) {
	case COMPRESSION_GZIP:
		return put_gzip(s, bytes, size, Z_NO_FLUSH, e);
	case COMPRESSION_ZSTD:
		return put_zstd(s, bytes, size, ZSTD_e_continue, e);
	case COMPRESSION_NONE:
		break;
	}
	return put_out(s, bytes, size, e);
}

int sink_finish(struct sink *s, struct err *e)
{
	switch (s->compression) {
	case COMPRESSION_GZIP:
		return put_gzip(s, "", 0, Z_FINISH, e);
	case COMPRESSION_ZSTD:
		return put_zstd(s, "", 0, ZSTD_e_end, e);
	case COMPRESSION_NONE:
		break;
	}
	return 0;
}
