// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/serve/channel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/clock.h"

#define FIRST_ROOM 4096 /* bytes */

/* Bytes into a buffer: how many; 0: none now. */
static ssize_t take(int fd, void *to, size_t size)
{
	ssize_t n;

	do
		n = read(fd, to, size);
	while (n < 0 && errno == EINTR);
	if (n > 0)
		return n;
	if (n == 0)
		return -EPIPE;
	return errno == EAGAIN ? 0 : -errno;
}

/* Room for at least one byte more of the data. */
static int make_room(struct inbox *in)
{
	size_t here = in->used - FRAME_HEADER_SIZE, room = in->room ? 2 * in->room : FIRST_ROOM;
	uint8_t *data;

	if (here < in->room)
		return 0;
	if (room > in->frame.size)
		room = in->frame.size;
	data = realloc(in->data, room);
	if (!data)
		return -ENOMEM;
	in->data = data;
	in->room = room;
	return 0;
}

static ssize_t take_data(struct inbox *in, int fd)
{
	size_t here = in->used - FRAME_HEADER_SIZE, left = in->frame.size - here;
	uint8_t thrown_away[FIRST_ROOM];
	int r;

	if (in->oversized)
		return take(fd, thrown_away,
			    left < sizeof(thrown_away) ? left : sizeof(thrown_away));
	r = make_room(in);
	return r ? r : take(fd, in->data + here, in->room - here);
}

int inbox_read(struct inbox *in, int fd, size_t data_max)
{
	for (;;) {
		bool in_header = in->used < FRAME_HEADER_SIZE;
		ssize_t n;

		if (!in_header && in->used - FRAME_HEADER_SIZE == in->frame.size)
			return 1;
		n = in_header ? take(fd, in->header + in->used, FRAME_HEADER_SIZE - in->used) :
				take_data(in, fd);
		if (n <= 0)
			return (int)n;
		if (!in->used)
			in->since_ms = clock_ms();
		in->used += (size_t)n;
		if (in_header && in->used == FRAME_HEADER_SIZE) {
			frame_read(in->header, &in->frame);
			in->oversized = in->frame.size > data_max;
		}
	}
}

void inbox_empty(struct inbox *in)
{
	free(in->data);
	memset(in, 0, sizeof(*in));
}

static int make_out_room(struct outbox *out, size_t more)
{
	size_t room = out->used - out->sent + more;
	uint8_t *bytes;

	if (room > OUTBOX_MAX)
		return -E2BIG;
	if (out->sent) {
		out->used -= out->sent;
		memmove(out->bytes, out->bytes + out->sent, out->used);
		out->sent = 0;
	}
	if (room <= out->room)
		return 0;
	bytes = realloc(out->bytes, room);
	if (!bytes)
		return -ENOMEM;
	out->bytes = bytes;
	out->room = room;
	return 0;
}

int outbox_add(struct outbox *out, const struct frame *f, const void *data)
{
	int r = make_out_room(out, FRAME_HEADER_SIZE + f->size);

	if (r)
		return r;
	if (!out->used)
		out->since_ms = clock_ms();
	frame_write(f, out->bytes + out->used);
	if (f->size)
		memcpy(out->bytes + out->used + FRAME_HEADER_SIZE, data, f->size);
	out->used += FRAME_HEADER_SIZE + f->size;
	return 0;
}

int outbox_write(struct outbox *out, int fd)
{
	while (out->sent < out->used) {
		/* A client that is gone is an error here, and no signal. */
		ssize_t n = send(fd, out->bytes + out->sent, out->used - out->sent, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? 0 : -errno;
		out->sent += (size_t)n;
		out->since_ms = clock_ms();
	}
	outbox_empty(out);
	return 0;
}

void outbox_empty(struct outbox *out)
{
	free(out->bytes);
	memset(out, 0, sizeof(*out));
}
