// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/serve/serve.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#include "lib/cleanup.h"
#include "lib/clock.h"
#include "mount/serve/client.h"
#include "mount/serve/listener.h"
#include "mount/serve/say.h"

/* What is waited for, in this order. */
enum {
	AT_SIGNALS,
	AT_LISTENER,
	AT_CLIENTS,
	AT_HUBS = AT_CLIENTS + SERVE_CLIENTS_MAX, /* each client's */
	AT_PULLS = AT_HUBS + SERVE_CLIENTS_MAX,
	POLLED = AT_PULLS + SERVE_PULLS_MAX,
};

struct server {
	struct service service;
	const char *socket;
	int stall_ms;
	int listener, signals; /* listener: -1 once it is to end */
	int64_t end_ms;        /* and when at the latest */
	uint64_t clients_so_far;
	struct client client[SERVE_CLIENTS_MAX];
	struct pollfd polled[POLLED];
};

/* --- what happens ------------------------------------------------------------------ */

static void accept_client(struct server *s)
{
	auto_fd int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	for (size_t i = 0; i < SERVE_CLIENTS_MAX && fd >= 0; i++)
		if (s->client[i].fd < 0)
			client_init(&s->client[i], steal_fd(&fd), ++s->clients_so_far);
}

static void begin_end(struct server *s)
{
	listener_remove(s->socket);
	close(s->listener);
	s->listener = -1;
	s->end_ms = clock_ms() + s->stall_ms;
}

static void take_signals(struct server *s)
{
	struct signalfd_siginfo info;

	while (read(s->signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
		if (info.ssi_signo != SIGCHLD && s->listener >= 0)
			begin_end(s);
}

/* Whoever asked may be gone by now. */
static void answer_pull(struct server *s, struct pull *pull, bool late)
{
	struct pull_answer answer;

	if (late)
		pull_give_up(pull, &answer);
	else
		pull_finish(pull, &answer);
	for (size_t i = 0; i < SERVE_CLIENTS_MAX; i++) {
		struct client *client = &s->client[i];

		if (client->fd >= 0 && client->serial == pull->caller.client &&
		    client_answer_pull(client, pull->caller.stream, &answer))
			client_close(client);
	}
}

/* What one client's two connections have, or take. */
static void serve_client(struct server *s, struct client *client, short events, short hub_events)
{
	int r = 0;

	/* What was sent before an end counts, so an end is one only where nothing is left to read.
	 */
	if (events & POLLERR || (events & POLLHUP && !(events & POLLIN)))
		r = -EPIPE;
	if (!r && events & POLLOUT)
		r = outbox_write(&client->out, client->fd);
	if (!r && events & POLLIN)
		r = client_read(client, &s->service);
	if (!r && hub_events & POLLOUT) {
		int lost = outbox_write(&client->hub.out, client->hub.fd);

		r = lost ? client_lose_hub(client, lost) : 0;
	}
	if (!r && client->hub.fd >= 0 && hub_events & (POLLIN | POLLERR | POLLHUP))
		r = client_read_hub(client);
	if (r)
		client_close(client);
}

/* --- what is waited for --------------------------------------------------------------- */

static void poll_for(struct server *s, size_t at, int fd, int events)
{
	s->polled[at] = (struct pollfd){ .fd = fd, .events = (short)events };
}

static void poll_for_client(struct server *s, size_t i)
{
	const struct client *client = &s->client[i];
	bool may_send = client_may_send(client) && s->listener >= 0;

	poll_for(s, AT_CLIENTS + i, client->fd,
		 (may_send ? POLLIN : 0) | (outbox_waits(&client->out) ? POLLOUT : 0));
	/* A hub that is gone has an end of its data at last; until these are read it is not asked.
	 */
	poll_for(s, AT_HUBS + i, outbox_is_full(&client->out) ? -1 : client->hub.fd,
		 POLLIN | (outbox_waits(&client->hub.out) ? POLLOUT : 0));
}

/* Answer what is too late; the next moment at which one is becomes *next_ms. */
static void check_pulls(struct server *s, int64_t *next_ms)
{
	for (size_t i = 0; i < SERVE_PULLS_MAX; i++) {
		struct pull *pull = &s->service.pulls.pull[i];

		if (pull->fd < 0)
			continue;
		if (clock_ms() >= pull->end_ms)
			answer_pull(s, pull, true);
		else if (!*next_ms || pull->end_ms < *next_ms)
			*next_ms = pull->end_ms;
	}
}

/* Close what is too late; how long the next of them has, in milliseconds, -1: for good. */
static int check_time(struct server *s)
{
	int64_t next_ms = s->end_ms, left;

	check_pulls(s, &next_ms);
	for (size_t i = 0; i < SERVE_CLIENTS_MAX; i++)
		if (s->client[i].fd >= 0 && client_check_time(&s->client[i], s->stall_ms, &next_ms))
			client_close(&s->client[i]);
	if (!next_ms)
		return -1;
	left = next_ms - clock_ms();
	return left > 0 ? (int)left : 0;
}

static bool wait_for_events(struct server *s)
{
	int timeout_ms = check_time(s);

	poll_for(s, AT_SIGNALS, s->signals, POLLIN);
	poll_for(s, AT_LISTENER, s->listener, POLLIN);
	for (size_t i = 0; i < SERVE_CLIENTS_MAX; i++)
		poll_for_client(s, i);
	for (size_t i = 0; i < SERVE_PULLS_MAX; i++)
		poll_for(s, AT_PULLS + i, s->service.pulls.pull[i].fd, POLLIN);
	return poll(s->polled, POLLED, timeout_ms) >= 0 || errno == EINTR;
}

/* Is there anything that the end has to wait for? */
static bool is_busy(struct server *s)
{
	bool busy = pulls_reap(&s->service.pulls) > 0;

	for (size_t i = 0; i < SERVE_CLIENTS_MAX; i++)
		busy = busy || outbox_waits(&s->client[i].out);
	return busy;
}

static int run(struct server *s, struct err *e)
{
	while (is_busy(s) ? !s->end_ms || clock_ms() < s->end_ms : !s->end_ms) {
		if (!wait_for_events(s))
			return err_errno(e, FAIL_SYSTEM_CALL_FAILED, "wait for calls");
		for (size_t i = 0; i < SERVE_PULLS_MAX; i++)
			if (s->polled[AT_PULLS + i].revents)
				answer_pull(s, &s->service.pulls.pull[i], false);
		for (size_t i = 0; i < SERVE_CLIENTS_MAX; i++)
			if (s->client[i].fd >= 0)
				serve_client(s, &s->client[i], s->polled[AT_CLIENTS + i].revents,
					     s->polled[AT_HUBS + i].revents);
		if (s->polled[AT_LISTENER].revents)
			accept_client(s);
		if (s->polled[AT_SIGNALS].revents)
			take_signals(s);
	}
	return 0;
}

/* --- beginning and end ------------------------------------------------------------------ */

static int open_signals(struct server *s, sigset_t *ret_old, struct err *e)
{
	sigset_t ours;

	sigemptyset(&ours);
	sigaddset(&ours, SIGTERM);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, SIGCHLD);
	sigprocmask(SIG_BLOCK, &ours, ret_old);
	/* Who reads stderr may be gone. */
	signal(SIGPIPE, SIG_IGN);
	s->signals = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
	return s->signals < 0 ? err_errno(e, FAIL_SYSTEM_CALL_FAILED, "take signals") : 0;
}

static int start_and_run(struct server *s, struct err *e)
{
	const struct err *broken = &s->service.catalogue.broken;
	struct pull_answer refusal;
	int r;

	catalogue_load(s->service.options, &s->service.catalogue);
	if (broken->code != FAIL_NONE) {
		pull_refuse(&refusal, STATUS_FAILED_PRECONDITION, "describe", broken);
		say("%s", refusal.line);
	}
	/* The last step: who waits for the socket may call as soon as it is there. */
	r = listener_open(s->socket, &s->listener, e);
	return r ? r : run(s, e);
}

static void end(struct server *s)
{
	if (s->listener >= 0)
		begin_end(s);
	pulls_kill(&s->service.pulls);
	for (size_t i = 0; i < SERVE_CLIENTS_MAX; i++)
		client_close(&s->client[i]);
	images_free(&s->service.catalogue.images);
	cleanup_fd(&s->signals);
}

int serve(const struct serve_options *options, struct err *e)
{
	struct server *s = calloc(1, sizeof(*s));
	sigset_t old;
	int r;

	if (!s)
		return err_set(e, FAIL_SYSTEM_CALL_FAILED, ENOMEM, "no memory");
	s->service.options = options;
	s->socket = options->socket ? options->socket : SERVE_SOCKET;
	s->stall_ms = options->stall_ms ? options->stall_ms : SERVE_STALL_MS;
	s->listener = s->signals = -1;
	pulls_init(&s->service.pulls);
	for (size_t i = 0; i < SERVE_CLIENTS_MAX; i++)
		client_init(&s->client[i], -1, 0);
	r = open_signals(s, &old, e);
	r = r ? r : start_and_run(s, e);
	end(s);
	sigprocmask(SIG_SETMASK, &old, NULL);
	free(s);
	return r;
}
