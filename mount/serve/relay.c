// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/serve/relay.h"

#include <errno.h>
#include <unistd.h>

#include "mount/serve/listener.h"

/* Where a stream stands in the list; count: nowhere. */
static size_t find(const struct relay *relay, uint32_t stream)
{
	size_t i = 0;

	while (i < relay->count && relay->stream[i] != stream)
		i++;
	return i;
}

bool relay_has(const struct relay *relay, uint32_t stream)
{
	return find(relay, stream) < relay->count;
}

int relay_send(struct relay *relay, const char *socket, const struct frame *f, const void *data)
{
	int r = 0;

	if (f->type == FRAME_REQUEST && relay->count == SERVE_RELAYED_MAX)
		return -EBUSY;
	if (relay->fd < 0)
		r = listener_connect(socket, &relay->fd);
	r = r ? r : outbox_add(&relay->out, f, data);
	if (!r && f->type == FRAME_REQUEST)
		relay->stream[relay->count++] = f->stream;
	return r;
}

/* Is this the last frame of its stream? */
static bool ends(const struct frame *f)
{
	return f->type == FRAME_RESPONSE ||
	       (f->type == FRAME_STREAM_DATA && f->flags & FRAME_REMOTE_CLOSED);
}

int relay_receive(struct relay *relay, struct outbox *to)
{
	int r = inbox_read(&relay->in, relay->fd, FRAME_DATA_MAX);
	size_t i;

	if (r <= 0)
		return r;
	if (relay->in.oversized)
		return -EPROTO;
	i = find(relay, relay->in.frame.stream);
	if (i < relay->count) {
		r = outbox_add(to, &relay->in.frame, relay->in.data);
		if (ends(&relay->in.frame))
			relay->stream[i] = relay->stream[--relay->count];
	}
	inbox_empty(&relay->in);
	return r < 0 ? r : 1;
}

void relay_close(struct relay *relay)
{
	if (relay->fd >= 0)
		close(relay->fd);
	relay->fd = -1;
	inbox_empty(&relay->in);
	outbox_empty(&relay->out);
}
