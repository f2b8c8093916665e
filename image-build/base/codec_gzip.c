// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * One member of gzip, by ISA-L where there is one for this machine: twice as fast as
 * zlib. Both check the header's own sum, and the sum and the size of what came out.
 */
#include "image-build/base/codec.h"

#include <limits.h>

#include "image-build/base/memory.h"

#ifdef HAVE_ISAL
#include <isa-l/igzip_lib.h>

struct gzip {
	struct inflate_state z;
	size_t seen; /* of the member's first bytes */
};

static void *gzip_start(void)
{
	struct gzip *g = memory_zero(1, sizeof(*g));

	isal_inflate_init(&g->z);
	g->z.crc_flag = ISAL_GZIP;
	return g;
}

/* ISA-L waits for ten bytes, and takes flags that RFC 1952 reserves. */
static const char *check_beginning(struct gzip *g, const uint8_t *bytes, size_t size)
{
	static const uint8_t begins[] = { 0x1f, 0x8b, 0x08 };

	for (size_t i = 0; i < size && g->seen <= sizeof(begins); i++, g->seen++) {
		if (g->seen == sizeof(begins) && bytes[i] & 0xe0)
			return "unknown header flags set";
		if (g->seen < sizeof(begins) && bytes[i] != begins[g->seen])
			return "incorrect header check";
	}
	return NULL;
}

static const char *describe(int failure)
{
	switch (failure) {
	case ISAL_INVALID_BLOCK:
		return "invalid block";
	case ISAL_INVALID_SYMBOL:
		return "invalid code";
	case ISAL_INVALID_LOOKBACK:
		return "invalid distance too far back";
	case ISAL_INVALID_WRAPPER:
		return "incorrect header check";
	case ISAL_UNSUPPORTED_METHOD:
		return "unknown compression method";
	case ISAL_INCORRECT_CHECKSUM:
		return "incorrect data check";
	default:
		return "data error";
	}
}

static enum codec_state gzip_run(void *state, struct unpack_io *io, const char **why)
{
	union {
		const uint8_t *in;
		uint8_t *out;
	} from = { .in = io->in };
	struct gzip *g = state;
	struct inflate_state *z = &g->z;
	const char *wrong = check_beginning(g, io->in, io->in_size);
	uint32_t in = (uint32_t)(io->in_size < INT_MAX ? io->in_size : INT_MAX);
	uint32_t out = (uint32_t)(io->out_size < INT_MAX ? io->out_size : INT_MAX);
	int r;

	if (wrong) {
		*why = wrong;
		return CODEC_DAMAGED;
	}
	z->next_in = from.out;
	z->avail_in = in;
	z->next_out = io->out;
	z->avail_out = out;
	r = isal_inflate(z);
	unpack_take(io, in - z->avail_in, out - z->avail_out);
	if (r != ISAL_DECOMP_OK) {
		*why = describe(r);
		return CODEC_DAMAGED;
	}
	return z->block_state == ISAL_BLOCK_FINISH ? CODEC_ENDED : CODEC_MORE;
}

static void gzip_stop(void *state)
{
	free(state);
}

#else
#include <zlib.h>

/* A decoder that does not even start wants memory. */
static void must(int ok)
{
	if (!ok)
		abort();
}

static void *gzip_start(void)
{
	z_stream *z = memory_zero(1, sizeof(*z));

	must(inflateInit2(z, MAX_WBITS + 16) == Z_OK);
	return z;
}

static enum codec_state gzip_run(void *state, struct unpack_io *io, const char **why)
{
	z_stream *z = state;
	uInt in = (uInt)(io->in_size < INT_MAX ? io->in_size : INT_MAX);
	uInt out = (uInt)(io->out_size < INT_MAX ? io->out_size : INT_MAX);
	int r;

	z->next_in = (z_const Bytef *)(uintptr_t)io->in;
	z->avail_in = in;
	z->next_out = io->out;
	z->avail_out = out;
	r = inflate(z, Z_NO_FLUSH);
	unpack_take(io, in - z->avail_in, out - z->avail_out);
	if (r == Z_STREAM_END)
		return CODEC_ENDED;
	if (r == Z_OK || r == Z_BUF_ERROR)
		return CODEC_MORE;
	if (z->msg)
		*why = z->msg;
	return CODEC_DAMAGED;
}

static void gzip_stop(void *state)
{
	inflateEnd(state);
	free(state);
}

#endif

const struct codec codec_gzip = { gzip_start, gzip_run, gzip_stop };
