// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/base/unpack.h"

#include <string.h>

#include "image-build/base/codec.h"
#include "image-build/base/refuse.h"
#include "lib/array.h"

#define CHUNK (128U << 10)

static const struct {
	const char *name;
	const struct codec *codec;
	size_t magic_size;
	uint8_t magic[6];
} known[] = {
	[COMPRESSION_NONE] = { "none", NULL, 0, { 0 } },
	[COMPRESSION_GZIP] = { "gzip", &codec_gzip, 3, { 0x1f, 0x8b, 0x08 } },
	[COMPRESSION_ZSTD] = { "zstd", &codec_zstd, 4, { 0x28, 0xb5, 0x2f, 0xfd } },
	[COMPRESSION_XZ] = { "xz", &codec_xz, 6, { 0xfd, '7', 'z', 'X', 'Z', 0x00 } },
	[COMPRESSION_LZ4] = { "lz4", &codec_lz4, 4, { 0x04, 0x22, 0x4d, 0x18 } },
	[COMPRESSION_LZ4_LEGACY] = { "lz4", &codec_lz4_legacy, 4, { 0x02, 0x21, 0x4c, 0x18 } },
};

const char *compression_name(enum compression c)
{
	return known[c].name;
}

enum compression compression_of(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (known[i].codec && size >= known[i].magic_size &&
		    !memcmp(bytes, known[i].magic, known[i].magic_size))
			return (enum compression)i;
	return COMPRESSION_NONE;
}

void unpack_start(struct unpacker *u, enum compression c, uint64_t max)
{
	const struct codec *codec = known[c].codec;

	*u = (struct unpacker){ .compression = c, .max = max, .may_end = !codec };
	if (codec)
		u->state = codec->start();
}

void unpack_stop(struct unpacker *u)
{
	if (u->state)
		known[u->compression].codec->stop(u->state);
	u->state = NULL;
}

static int copy(struct unpack_io *io)
{
	size_t size = io->in_size < io->out_size ? io->in_size : io->out_size;

	memcpy(io->out, io->in, size);
	unpack_take(io, size, size);
	return 0;
}

int unpack_run(struct unpacker *u, struct unpack_io *io, struct err *e)
{
	const struct codec *codec = known[u->compression].codec;
	enum codec_state state = CODEC_MORE;
	const char *why = "data error";
	size_t before;

	do {
		before = io->in_size + io->out_size;
		u->plain += io->out_size;
		if (codec)
			state = codec->run(u->state, io, &why);
		else
			copy(io);
		u->plain -= io->out_size;
		if (state == CODEC_DAMAGED)
			return refuse(e, "its %s stream is damaged: %s", known[u->compression].name,
				      why);
		if (u->plain > u->max)
			return refuse_limit(e, "it unpacks to more than %llu bytes",
					    (unsigned long long)u->max);
		/* One that stands still with bytes and room to go on wants more of one. */
	} while (state == CODEC_MORE && io->in_size && io->out_size &&
		 before != io->in_size + io->out_size);
	u->ended = state == CODEC_ENDED;
	u->may_end = u->ended || !codec || state == CODEC_MAY_END;
	return 0;
}

int unpack_end(const struct unpacker *u, struct err *e)
{
	return u->may_end ? 0 : refuse(e, "its %s stream is cut short", known[u->compression].name);
}

int unpack_memory(enum compression c, const uint8_t *bytes, size_t size, uint64_t max,
		  struct buffer *ret, size_t *used, struct err *e)
{
	struct unpack_io io = { .in = bytes, .in_size = size };
	struct unpacker u;
	int r = 0;

	unpack_start(&u, c, max);
	do {
		buffer_reserve(ret, CHUNK);
		io.out = ret->bytes + ret->size;
		io.out_size = CHUNK;
		r = unpack_run(&u, &io, e);
		ret->size += CHUNK - io.out_size;
	} while (!r && !u.ended && (io.in_size || !io.out_size));
	if (!r)
		r = unpack_end(&u, e);
	*used = size - io.in_size;
	unpack_stop(&u);
	ret->bytes[ret->size] = '\0';
	return r;
}
