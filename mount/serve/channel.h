/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_SERVE_CHANNEL_H
#define MOUNT_SERVE_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "mount/serve/frame.h"

/*
 * Whole frames from and to a socket that does not block. What has come of a frame is
 * kept until the rest is there, and memory is taken as bytes come, not as a header
 * promises them. Both structs start as zeroes.
 */

struct inbox {
	uint8_t header[FRAME_HEADER_SIZE];
	size_t used; /* bytes of the frame that are here, its header among them */
	struct frame frame;
	uint8_t *data; /* frame.size bytes once the frame is whole; NULL where that is 0 */
	size_t room;
	bool oversized;   /* it has more data than the reader takes: they are thrown away */
	int64_t since_ms; /* when its first byte was here (lib/clock.h); 0: there is none */
};

/*
 * Read what is there of one frame: 1, a whole one; 0: not yet; -errno, which is -EPIPE at
 * the other side's end. Of a frame with more than data_max bytes of data only the header
 * is kept.
 */
int inbox_read(struct inbox *in, int fd, size_t data_max);

/* Forget the frame, for the next one or for good. */
void inbox_empty(struct inbox *in);

/*
 * The longest frame, and what may wait in front of it and behind. Some has to: who sends
 * several calls before it reads the first answer would wait for us, and we for him. A UNIX
 * socket can be written, says poll(), below a quarter of its buffer (52 KiB).
 */
#define OUTBOX_ENOUGH 262144
#define OUTBOX_MAX    (FRAME_HEADER_SIZE + FRAME_DATA_MAX + 1048576)

struct outbox {
	uint8_t *bytes;
	size_t room, used, sent;
	int64_t since_ms; /* when something of it went last, or the first byte came; 0: it is empty
			   */
};

/* Append a frame with its data; -ENOMEM, -E2BIG above OUTBOX_MAX. */
int outbox_add(struct outbox *out, const struct frame *f, const void *data);

/* Write what the socket takes now. 0 or -errno. */
int outbox_write(struct outbox *out, int fd);

static inline bool outbox_waits(const struct outbox *out)
{
	return out->used > 0;
}

/* Does so much wait that nothing more should be made for it? */
static inline bool outbox_is_full(const struct outbox *out)
{
	return out->used - out->sent >= OUTBOX_ENOUGH;
}

void outbox_empty(struct outbox *out);

#endif
