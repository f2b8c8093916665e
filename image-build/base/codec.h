/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_BASE_CODEC_H
#define IMAGE_BUILD_BASE_CODEC_H

#include <stddef.h>
#include <stdint.h>

/* What base/unpack.c knows of each way of packing: one stream, from its beginning. */

/* Bytes to unpack and room for what comes out: both are moved on. */
struct unpack_io {
	const uint8_t *in;
	size_t in_size;
	uint8_t *out;
	size_t out_size;
};

enum codec_state {
	CODEC_MORE,    /* wants more input or more room */
	CODEC_MAY_END, /* wants more input, and would be content without */
	CODEC_ENDED,
	CODEC_DAMAGED,
};

struct codec {
	void *(*start)(void);
	/* Move io on as far as it goes; *why is set, or left, where it is damaged. */
	enum codec_state (*run)(void *state, struct unpack_io *io, const char **why);
	void (*stop)(void *state);
};

extern const struct codec codec_gzip, codec_zstd, codec_xz, codec_lz4, codec_lz4_legacy;

/* So many bytes were taken from the input, and so many put out. */
static inline void unpack_take(struct unpack_io *io, size_t in, size_t out)
{
	io->in += in;
	io->in_size -= in;
	io->out += out;
	io->out_size -= out;
}

#endif
