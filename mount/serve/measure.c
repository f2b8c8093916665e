// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/serve/measure.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/clock.h"
#include "mount/serve/channel.h"
#include "mount/serve/listener.h"
#include "mount/serve/message.h"

#define REQUEST_SIZE 4096 /* bytes; a reference has fewer than 1024 */
#define ANSWER_MAX   65536
#define STREAM       1

static int make_request(const char *reference, const char *digest, uint8_t *out, size_t size)
{
	char content[PULL_TEXT_SIZE + 256];
	uint8_t payload[sizeof(content) + 256];
	const struct extend_request extend = {
		.domain = "github.com/confidential-containers",
		.operation = "PullImage",
		.content = content,
	};
	struct message_request request = {
		.service = EXTEND_SERVICE,
		.method = EXTEND_METHOD,
		.timeout_ns = MEASURE_LIMIT_MS * 1000000ull,
	};
	int n;

	/* Neither text has anything that JSON would escape (images.c). */
	snprintf(content, sizeof(content), "{\"image\":\"%s\", \"digest\":\"%s\"}", reference,
		 digest);
	n = message_write_extend(&extend, payload, sizeof(payload));
	if (n < 0)
		return n;
	request.payload = (struct proto_bytes){ payload, (size_t)n };
	return message_write_request(&request, out, size);
}

/* Send what is in out and wait for one frame. */
static int exchange(int fd, struct outbox *out, struct inbox *in)
{
	int64_t end = clock_ms() + MEASURE_LIMIT_MS, left;
	int r = 0;

	while (!r && (left = end - clock_ms()) > 0) {
		struct pollfd wait = { .fd = fd, .events = outbox_waits(out) ? POLLOUT : POLLIN };

		if (poll(&wait, 1, (int)left) <= 0)
			continue;
		r = outbox_waits(out) ? outbox_write(out, fd) : inbox_read(in, fd, ANSWER_MAX);
	}
	return r ? r : -ETIMEDOUT;
}

static int check_answer(const struct inbox *in, struct err *e)
{
	struct message_response response;
	uint64_t result;

	if (in->oversized || in->frame.type != FRAME_RESPONSE || in->frame.stream != STREAM ||
	    message_read_response((struct proto_bytes){ in->data, in->frame.size }, &response) ||
	    message_read_extended(response.payload, &result))
		return err_set(e, FAIL_MEASUREMENT_FAILED, EPROTO,
			       "the attestation agent's answer is malformed");
	if (response.status != STATUS_OK)
		return err_set(e, FAIL_MEASUREMENT_FAILED, EIO,
			       "the attestation agent says: %.500s", response.text);
	if (result)
		return err_set(e, FAIL_MEASUREMENT_FAILED, EOPNOTSUPP, "the attestation agent %s",
			       result == 1 ? "cannot extend a measurement on this machine" :
					     "is not configured to extend measurements");
	return 0;
}

int measure_pull(const char *socket, const char *reference, const char *digest, struct err *e)
{
	struct frame f = { .stream = STREAM, .type = FRAME_REQUEST };
	uint8_t request[REQUEST_SIZE];
	struct outbox out = { 0 };
	struct inbox in = { 0 };
	auto_fd int fd = -1;
	int r = listener_connect(socket, &fd);

	if (r)
		return err_result(e, FAIL_MEASUREMENT_FAILED, r,
				  "reach the attestation agent on %s", socket);
	r = make_request(reference, digest, request, sizeof(request));
	if (r > 0) {
		f.size = (uint32_t)r;
		r = outbox_add(&out, &f, request);
	}
	r = r ? r : exchange(fd, &out, &in);
	r = r < 0 ? err_result(e, FAIL_MEASUREMENT_FAILED, r, "call the attestation agent on %s",
			       socket) :
		    check_answer(&in, e);
	outbox_empty(&out);
	inbox_empty(&in);
	return r;
}
