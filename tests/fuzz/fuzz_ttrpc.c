// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Any bytes in a frame: as a request with a PullImage in it, and as a response. */
#include <string.h>

#include "mount/serve/frame.h"
#include "mount/serve/message.h"
#include "tests/fuzz/fuzz.h"

static void read_request(struct proto_bytes bytes)
{
	struct message_request request;
	struct pull_request pull;

	if (message_read_request(bytes, &request))
		return;
	REQUIRE(strlen(request.service) < sizeof(request.service));
	REQUIRE(request.payload.size <= bytes.size);
	if (message_read_pull(request.payload, &pull))
		return;
	for (const char *c = pull.image; *c; c++)
		REQUIRE((unsigned char)*c >= ' ');
	for (const char *c = pull.bundle; *c; c++)
		REQUIRE((unsigned char)*c >= ' ');
}

/* What is read can be written, and is the same when it is read again. */
static void read_response(struct proto_bytes bytes)
{
	struct message_response response, again;
	uint8_t *out;
	int written;

	if (message_read_response(bytes, &response))
		return;
	out = malloc(bytes.size + 64);
	REQUIRE(out);
	written = message_write_response(&response, out, bytes.size + 64);
	REQUIRE(written >= 0);
	REQUIRE(!message_read_response((struct proto_bytes){ out, (size_t)written }, &again));
	REQUIRE(again.status == response.status && !strcmp(again.text, response.text));
	REQUIRE(again.payload.size == response.payload.size);
	free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t header[FRAME_HEADER_SIZE];
	struct frame f;

	if (size < sizeof(header))
		return 0;
	frame_read(data, &f);
	frame_write(&f, header);
	REQUIRE(!memcmp(header, data, sizeof(header)));
	read_request((struct proto_bytes){ data + sizeof(header), size - sizeof(header) });
	read_response((struct proto_bytes){ data + sizeof(header), size - sizeof(header) });
	return 0;
}
