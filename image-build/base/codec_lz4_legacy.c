// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * LZ4 as the kernel takes it (lib/decompress_unlz4.c): the magic, then blocks of a
 * length, 4 bytes little-endian, and so many bytes, which unpack to 8 MiB at most. No
 * checksum, and no end: the input ends, or a length is 0. The magic may come again.
 */
#include <lz4.h>
#include <stdbool.h>
#include <string.h>

#include "image-build/base/codec.h"
#include "image-build/base/memory.h"
#include "lib/le.h"

#define MAGIC     0x184c2102U
#define PLAIN_MAX (8 << 20)

struct legacy {
	uint8_t *packed, *plain;
	size_t got;        /* bytes of the word or block that is read */
	size_t block;      /* length of the block that is read; 0: a word is read */
	size_t at, size;   /* of what is plain: given out, and there */
	bool begun, ended; /* the magic was there; a length of 0 */
};

static void *legacy_start(void)
{
	struct legacy *l = memory_zero(1, sizeof(*l));

	l->packed = memory_zero(1, LZ4_COMPRESSBOUND(PLAIN_MAX));
	l->plain = memory_zero(1, PLAIN_MAX);
	return l;
}

static void legacy_stop(void *state)
{
	struct legacy *l = state;

	free(l->packed);
	free(l->plain);
	free(l);
}

/* Hand out what is plain. */
static void give(struct legacy *l, struct unpack_io *io)
{
	size_t n = l->size - l->at < io->out_size ? l->size - l->at : io->out_size;

	memcpy(io->out, l->plain + l->at, n);
	unpack_take(io, 0, n);
	l->at += n;
}

/* Collect so many bytes; false: there are not so many yet. */
static bool collect(struct legacy *l, struct unpack_io *io, size_t size)
{
	size_t n = size - l->got < io->in_size ? size - l->got : io->in_size;

	memcpy(l->packed + l->got, io->in, n);
	unpack_take(io, n, 0);
	l->got += n;
	if (l->got < size)
		return false;
	l->got = 0;
	return true;
}

static const char *take_word(struct legacy *l)
{
	uint64_t word = le_get(l->packed, 4);

	if (!l->begun && word != MAGIC)
		return "no magic";
	if (word > LZ4_COMPRESSBOUND(PLAIN_MAX) && word != MAGIC)
		return "a block that is too long";
	l->begun = true;
	l->ended = word == 0;
	l->block = word == MAGIC ? 0 : word;
	return NULL;
}

static const char *take_block(struct legacy *l)
{
	int n = LZ4_decompress_safe((const char *)l->packed, (char *)l->plain, (int)l->block,
				    PLAIN_MAX);

	l->block = 0;
	if (n < 0)
		return "a block that does not unpack";
	l->at = 0;
	l->size = (size_t)n;
	return NULL;
}

static enum codec_state legacy_run(void *state, struct unpack_io *io, const char **why)
{
	struct legacy *l = state;

	while (!l->ended) {
		const char *wrong;

		give(l, io);
		if (l->at < l->size)
			return CODEC_MORE;
		if (!collect(l, io, l->block ? l->block : 4))
			return l->begun && !l->block && !l->got ? CODEC_MAY_END : CODEC_MORE;
		wrong = l->block ? take_block(l) : take_word(l);
		if (wrong) {
			*why = wrong;
			return CODEC_DAMAGED;
		}
	}
	return CODEC_ENDED;
}

const struct codec codec_lz4_legacy = { legacy_start, legacy_run, legacy_stop };
