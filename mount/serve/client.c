// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/serve/client.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"

#define FRAMES_AT_ONCE 8     /* of one client, before the others have their turn */
#define OWN_DATA_MAX   65536 /* bytes of a frame where none goes to a hub */

void client_init(struct client *client, int fd, uint64_t serial)
{
	memset(client, 0, sizeof(*client));
	client->fd = fd;
	client->serial = serial;
	client->hub.fd = -1;
}

void client_close(struct client *client)
{
	if (client->fd >= 0)
		close(client->fd);
	inbox_empty(&client->in);
	outbox_empty(&client->out);
	relay_close(&client->hub);
	client_init(client, -1, 0);
}

bool client_may_send(const struct client *client)
{
	return !outbox_is_full(&client->out) && !outbox_is_full(&client->hub.out);
}

static int answer(struct client *client, uint32_t stream, const struct message_response *response)
{
	uint8_t data[MESSAGE_STATUS_SIZE + 512];
	int size = message_write_response(response, data, sizeof(data));
	struct frame f = { .stream = stream, .type = FRAME_RESPONSE };

	if (size < 0)
		return size;
	f.size = (uint32_t)size;
	return outbox_add(&client->out, &f, data);
}

/* The status of a call that is not done, in words. */
__attribute__((format(printf, 4, 5))) static int
refuse(struct client *client, uint32_t stream, enum message_status status, const char *fmt, ...)
{
	struct message_response response = { .status = status };
	va_list args;

	va_start(args, fmt);
	vsnprintf(response.text, sizeof(response.text), fmt, args);
	va_end(args);
	return answer(client, stream, &response);
}

int client_answer_pull(struct client *client, uint32_t stream, const struct pull_answer *pulled)
{
	struct message_response response = { .status = pulled->status };
	uint8_t payload[sizeof(pulled->digest) + 16];
	int size;

	if (pulled->status != STATUS_OK)
		return refuse(client, stream, pulled->status, "%s", pulled->line);
	size = message_write_pull_answer(pulled->digest, payload, sizeof(payload));
	if (size < 0)
		return size;
	response.payload = (struct proto_bytes){ payload, (size_t)size };
	return answer(client, stream, &response);
}

static int pass_on(struct client *client, const struct serve_options *options)
{
	const struct frame *f = &client->in.frame;
	int r = relay_send(&client->hub, options->forward, f, client->in.data);

	if (r == -EBUSY)
		return refuse(client, f->stream, STATUS_RESOURCE_EXHAUSTED,
			      "socle: %d calls to the data hub are without an answer",
			      SERVE_RELAYED_MAX);
	return r ? refuse(client, f->stream, STATUS_UNAVAILABLE,
			  "socle: the data hub on %s cannot be reached: %s", options->forward,
			  strerror(-r)) :
		   0;
}

static int take_pull(struct client *client, struct service *service, struct proto_bytes payload)
{
	const struct serve_options *options = service->options;
	struct pull_caller caller = { client->serial, client->in.frame.stream };
	struct pull_request request;
	bool is_known;
	int r;

	if (message_read_pull(payload, &request))
		return refuse(client, caller.stream, STATUS_INVALID_ARGUMENT,
			      "socle: the request to pull an image is malformed");
	/* Where the descriptions are broken nothing is unknown: everything is refused. */
	is_known = service->catalogue.broken.code != FAIL_NONE ||
		   images_find(&service->catalogue.images, request.image);
	if (!is_known && options->pull_unknown && options->forward)
		return pass_on(client, options);
	r = pulls_start(&service->pulls, options, &service->catalogue, &request, &caller);
	if (r == -EBUSY)
		return refuse(client, caller.stream, STATUS_RESOURCE_EXHAUSTED,
			      "socle: %d images are being mounted already", SERVE_PULLS_MAX);
	return r ? refuse(client, caller.stream, STATUS_INTERNAL,
			  "socle: a process for the image cannot be made: %s", strerror(-r)) :
		   0;
}

static int take_request(struct client *client, struct service *service)
{
	const struct inbox *in = &client->in;
	const struct pull_caller caller = { client->serial, in->frame.stream };
	struct message_request request;

	if (!(caller.stream & 1))
		return refuse(client, caller.stream, STATUS_INVALID_ARGUMENT,
			      "socle: a client's streams have odd numbers");
	/* An answer to a second call of this number would be taken for the first one's. */
	if (relay_has(&client->hub, caller.stream) || pulls_have(&service->pulls, &caller))
		return -EPROTO;
	if (message_read_request((struct proto_bytes){ in->data, in->frame.size }, &request))
		return refuse(client, caller.stream, STATUS_INVALID_ARGUMENT,
			      "socle: the request is malformed");
	if (!strcmp(request.service, PULL_SERVICE) && !strcmp(request.method, PULL_METHOD))
		return take_pull(client, service, request.payload);
	if (service->options->forward)
		return pass_on(client, service->options);
	return refuse(client, caller.stream, STATUS_UNIMPLEMENTED,
		      "socle: %s/%s is not served here, and there is no data hub behind",
		      request.service, request.method);
}

static int take_frame(struct client *client, struct service *service)
{
	const struct frame *f = &client->in.frame;

	if (client->in.oversized)
		return refuse(client, f->stream, STATUS_RESOURCE_EXHAUSTED,
			      "socle: a message of %u bytes is too long", f->size);
	if (f->type == FRAME_REQUEST)
		return take_request(client, service);
	if (f->type != FRAME_STREAM_DATA)
		return 0; /* of a later version, and to be ignored */
	if (relay_has(&client->hub, f->stream))
		return pass_on(client, service->options);
	return refuse(client, f->stream, STATUS_INVALID_ARGUMENT, "socle: stream %u is not open",
		      f->stream);
}

int client_read(struct client *client, struct service *service)
{
	size_t data_max = service->options->forward ? FRAME_DATA_MAX : OWN_DATA_MAX;
	int r = 1;

	for (int i = 0; i < FRAMES_AT_ONCE && r > 0 && client_may_send(client); i++) {
		r = inbox_read(&client->in, client->fd, data_max);
		if (r > 0) {
			int taken = take_frame(client, service);

			inbox_empty(&client->in);
			r = taken ? taken : r;
		}
	}
	return r < 0 ? r : 0;
}

int client_lose_hub(struct client *client, int why)
{
	struct relay *hub = &client->hub;
	int r = 0;

	relay_close(hub);
	while (!r && hub->count)
		r = refuse(client, hub->stream[--hub->count], STATUS_UNAVAILABLE,
			   "socle: the data hub is gone: %s", strerror(-why));
	return r;
}

int client_read_hub(struct client *client)
{
	int r = 1;

	for (int i = 0; i < FRAMES_AT_ONCE && r > 0 && !outbox_is_full(&client->out); i++)
		r = relay_receive(&client->hub, &client->out);
	return r < 0 ? client_lose_hub(client, r) : 0;
}

/* Is the older of two beginnings too late? If not, *next is at the latest when it will be. */
static bool is_late(int64_t a_ms, int64_t b_ms, int64_t limit_ms, int64_t *next_ms)
{
	int64_t first = a_ms && (!b_ms || a_ms < b_ms) ? a_ms : b_ms;

	if (!first)
		return false;
	first += limit_ms;
	if (!*next_ms || first < *next_ms)
		*next_ms = first;
	return first <= clock_ms();
}

int client_check_time(struct client *client, int stall_ms, int64_t *next_ms)
{
	if (is_late(client->in.since_ms, client->out.since_ms, stall_ms, next_ms))
		return -ETIMEDOUT;
	if (is_late(client->hub.in.since_ms, client->hub.out.since_ms, stall_ms, next_ms))
		return client_lose_hub(client, -ETIMEDOUT);
	return 0;
}
