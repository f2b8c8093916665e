/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_SERVE_RELAY_H
#define MOUNT_SERVE_RELAY_H

#include "mount/serve/channel.h"
#include "mount/serve/options.h"

/*
 * One client's own connection to the real hub: its frames go there and back as they
 * are, under the numbers that the client gave its streams. Starts with fd -1 and zeroes.
 */
struct relay {
	int fd; /* -1: not connected, which is tried again with the next call */
	struct inbox in;
	struct outbox out;
	size_t count; /* calls that the hub has not answered */
	uint32_t stream[SERVE_RELAYED_MAX];
};

bool relay_has(const struct relay *relay, uint32_t stream);

/*
 * Pass a frame on, a request as a new stream; socket is where the hub is. -EBUSY: it
 * has as many calls as it may; else what hinders the connection.
 */
int relay_send(struct relay *relay, const char *socket, const struct frame *f, const void *data);

/*
 * Pass on to the client what has come from the hub, a frame at a time: 1, one was;
 * 0: nothing has come; -errno: the connection is lost. What belongs to no call of the
 * client's goes nowhere.
 */
int relay_receive(struct relay *relay, struct outbox *to);

/* Close it; the calls that are without an answer stay in stream for the caller to answer. */
void relay_close(struct relay *relay);

#endif
