/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_SERVE_CLIENT_H
#define MOUNT_SERVE_CLIENT_H

#include "mount/serve/pulls.h"
#include "mount/serve/relay.h"

/* A connection of somebody who calls: kata-agent has one, and keeps it. */
struct client {
	int fd;          /* -1: none */
	uint64_t serial; /* no two have the same */
	struct inbox in;
	struct outbox out;
	struct relay hub;
};

/* What the calls of all clients lead to. */
struct service {
	const struct serve_options *options;
	struct catalogue catalogue;
	struct pulls pulls;
};

void client_init(struct client *client, int fd, uint64_t serial);
void client_close(struct client *client);

/*
 * May more be read from the client? Not while much of it waits to go anywhere, so that
 * what it has here at a time is little more than a frame each way.
 */
bool client_may_send(const struct client *client);

/*
 * Read what the client has sent, and do it or pass it on. 0; -errno: the connection is
 * over, or what comes is no ttrpc.
 */
int client_read(struct client *client, struct service *service);

/* The answer to a pull. */
int client_answer_pull(struct client *client, uint32_t stream, const struct pull_answer *answer);

/*
 * Pass on what has come from the hub. Where that connection is lost, every call that
 * waits for it is answered so, and the client's stays: kata-agent never makes another one.
 */
int client_read_hub(struct client *client);
int client_lose_hub(struct client *client, int why);

/*
 * A frame that has begun to come or go has stall_ms to end. -ETIMEDOUT where the client's has
 * not; a hub's is a lost connection. *next_ms comes down to when the next one will be
 * too late (lib/clock.h; 0: never).
 */
int client_check_time(struct client *client, int stall_ms, int64_t *next_ms);

#endif
