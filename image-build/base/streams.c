// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/base/streams.h"

#include "image-build/base/refuse.h"

struct streams {
	enum compression compression;
	struct ring *from;
	struct unpacker unpacker;
	const uint8_t *in;
	size_t in_size;
	bool input_ended, finished;
};

static int refill(struct streams *s, struct err *e)
{
	const void *bytes;
	ssize_t n;

	if (s->in_size || s->input_ended)
		return 0;
	n = ring_next(s->from, 0, &bytes, e);
	if (n < 0)
		return (int)n;
	s->in = bytes;
	s->in_size = (size_t)n;
	s->input_ended = !n;
	return 0;
}

/* Behind the last member of gzip: padding of zeroes or nothing. */
static int skip_padding(struct streams *s, struct err *e)
{
	int r = refill(s, e);

	while (!r && s->in_size) {
		if (*s->in)
			return refuse(e, "bytes that are not gzip follow its last gzip member");
		s->in++;
		s->in_size--;
		r = refill(s, e);
	}
	s->finished = true;
	return r;
}

/* A stream has ended: begin the next one, or see that there is none. */
static int next_stream(struct streams *s, struct err *e)
{
	uint64_t left = s->unpacker.max - s->unpacker.plain;
	int r = refill(s, e);

	if (r)
		return r;
	if (s->compression == COMPRESSION_GZIP && (!s->in_size || *s->in != 0x1f))
		return skip_padding(s, e);
	s->finished = !s->in_size;
	unpack_stop(&s->unpacker);
	if (!s->finished)
		unpack_start(&s->unpacker, s->compression, left);
	return 0;
}

/* One step further: more input, the next stream, or some of what is in this one. */
static int step(struct streams *s, struct unpack_io *io, struct err *e)
{
	int r = s->unpacker.ended ? next_stream(s, e) : refill(s, e);
	size_t room = io->out_size;

	if (r || s->finished)
		return r;
	io->in = s->in;
	io->in_size = s->in_size;
	r = unpack_run(&s->unpacker, io, e);
	s->in = io->in;
	s->in_size = io->in_size;
	if (!r && io->out_size == room && s->input_ended && !s->unpacker.ended) {
		r = unpack_end(&s->unpacker, e);
		s->finished = true;
	}
	return r;
}

/* Fill one buffer, or as much of it as there is. */
static int fill(struct streams *s, uint8_t *room, size_t *ret_size, struct err *e)
{
	struct unpack_io io = { .out = room, .out_size = RING_BYTES };
	int r = 0;

	while (!r && io.out_size && !s->finished)
		r = step(s, &io, e);
	*ret_size = RING_BYTES - io.out_size;
	return r;
}

void streams_unpack(enum compression compression, uint64_t max, struct ring *from, struct ring *to)
{
	struct streams s = { .compression = compression, .from = from };
	struct err e = { .text = "" };
	uint8_t *room;
	int r = 0;

	unpack_start(&s.unpacker, compression, max);
	while (!r && !s.finished && (room = ring_room(to))) {
		size_t size;

		r = fill(&s, room, &size, &e);
		if (size)
			ring_put(to, size);
	}
	ring_end(to, r, &e);
	unpack_stop(&s.unpacker);
	ring_abandon(from);
}
