// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/base/codec.h"

#include <lz4frame.h>
#include <lzma.h>
#include <zstd.h>

#include "image-build/base/memory.h"

/* Of what xz may ask for; a dictionary has 4 GiB at most, and 64 MiB with xz -9. */
#define XZ_MEMORY_MAX (1ULL << 30)

/* A decoder that does not even start wants memory. */
static void must(int ok)
{
	if (!ok)
		abort();
}

/* --- zstd ---------------------------------------------------------------- */

static void *zstd_start(void)
{
	ZSTD_DStream *z = ZSTD_createDStream();

	must(z != NULL);
	return z;
}

static enum codec_state zstd_run(void *state, struct unpack_io *io, const char **why)
{
	ZSTD_inBuffer in = { io->in, io->in_size, 0 };
	ZSTD_outBuffer out = { io->out, io->out_size, 0 };
	size_t hint = ZSTD_decompressStream(state, &out, &in);

	if (ZSTD_isError(hint)) {
		*why = ZSTD_getErrorName(hint);
		return CODEC_DAMAGED;
	}
	unpack_take(io, in.pos, out.pos);
	return hint ? CODEC_MORE : CODEC_ENDED;
}

static void zstd_stop(void *state)
{
	ZSTD_freeDStream(state);
}

const struct codec codec_zstd = { zstd_start, zstd_run, zstd_stop };

/* --- xz ------------------------------------------------------------------ */

static void *xz_start(void)
{
	lzma_stream *x = memory_zero(1, sizeof(*x));

	must(lzma_stream_decoder(x, XZ_MEMORY_MAX, 0) == LZMA_OK);
	return x;
}

static enum codec_state xz_run(void *state, struct unpack_io *io, const char **why)
{
	lzma_stream *x = state;
	lzma_ret r;

	x->next_in = io->in;
	x->avail_in = io->in_size;
	x->next_out = io->out;
	x->avail_out = io->out_size;
	r = lzma_code(x, LZMA_RUN);
	unpack_take(io, io->in_size - x->avail_in, io->out_size - x->avail_out);
	if (r == LZMA_STREAM_END)
		return CODEC_ENDED;
	if (r == LZMA_OK || r == LZMA_BUF_ERROR)
		return CODEC_MORE;
	if (r == LZMA_MEMLIMIT_ERROR)
		*why = "it needs more than 1 GiB of memory";
	return CODEC_DAMAGED;
}

static void xz_stop(void *state)
{
	lzma_end(state);
	free(state);
}

const struct codec codec_xz = { xz_start, xz_run, xz_stop };

/* --- LZ4's frame ----------------------------------------------------------- */

static void *lz4_start(void)
{
	LZ4F_dctx *d = NULL;

	must(!LZ4F_isError(LZ4F_createDecompressionContext(&d, LZ4F_VERSION)));
	return d;
}

static enum codec_state lz4_run(void *state, struct unpack_io *io, const char **why)
{
	size_t in = io->in_size, out = io->out_size;
	size_t hint = LZ4F_decompress(state, io->out, &out, io->in, &in, NULL);

	if (LZ4F_isError(hint)) {
		*why = LZ4F_getErrorName(hint);
		return CODEC_DAMAGED;
	}
	unpack_take(io, in, out);
	return hint ? CODEC_MORE : CODEC_ENDED;
}

static void lz4_stop(void *state)
{
	LZ4F_freeDecompressionContext(state);
}

const struct codec codec_lz4 = { lz4_start, lz4_run, lz4_stop };
