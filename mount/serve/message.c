// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/serve/message.h"

#include <errno.h>
#include <string.h>

#include "lib/array.h"

/* A field that a message is known to have; whatever else it has is skipped, as proto3 wants it. */
struct known {
	uint32_t number;
	char *text; /* a text goes here, */
	size_t size;
	uint64_t *value;           /* or a number here, */
	struct proto_bytes *bytes; /* or bytes */
};

static int take_known(const struct known *k, const struct proto_field *field)
{
	/* One of another type is not this field. */
	if (field->type != (k->value ? PROTO_NUMBER : PROTO_BYTES))
		return -EINVAL;
	if (k->value)
		*k->value = field->value;
	else if (k->bytes)
		*k->bytes = field->bytes;
	else
		return proto_text(field->bytes, k->text, k->size);
	return 0;
}

/* Of a field that comes twice the last one counts, as everywhere in protobuf. */
static int read_known(struct proto_bytes bytes, const struct known *known, size_t count)
{
	struct proto_field field;
	int r;

	while ((r = proto_next(&bytes, &field)) > 0)
		for (size_t i = 0; i < count; i++) {
			r = known[i].number == field.number ? take_known(&known[i], &field) : 0;
			if (r)
				return r;
		}
	return r;
}

int message_read_request(struct proto_bytes bytes, struct message_request *ret)
{
	const struct known known[] = {
		{ .number = 1, .text = ret->service, .size = sizeof(ret->service) },
		{ .number = 2, .text = ret->method, .size = sizeof(ret->method) },
		{ .number = 3, .bytes = &ret->payload },
		{ .number = 4, .value = &ret->timeout_ns },
	};

	memset(ret, 0, sizeof(*ret));
	return read_known(bytes, known, ARRAY_SIZE(known)) ? -EINVAL : 0;
}

int message_read_response(struct proto_bytes bytes, struct message_response *ret)
{
	struct proto_bytes status = { 0 };
	const struct known known[] = {
		{ .number = 1, .bytes = &status },
		{ .number = 2, .bytes = &ret->payload },
	};
	const struct known of_status[] = {
		{ .number = 1, .value = &ret->status },
		{ .number = 2, .text = ret->text, .size = sizeof(ret->text) },
	};

	memset(ret, 0, sizeof(*ret));
	return read_known(bytes, known, ARRAY_SIZE(known)) ||
			       read_known(status, of_status, ARRAY_SIZE(of_status)) ?
		       -EINVAL :
		       0;
}

int message_write_request(const struct message_request *request, uint8_t *out, size_t size)
{
	struct proto_writer w = { .out = out, .size = size };

	proto_put_bytes(&w, 1, request->service, strlen(request->service));
	proto_put_bytes(&w, 2, request->method, strlen(request->method));
	proto_put_bytes(&w, 3, request->payload.at, request->payload.size);
	proto_put_number(&w, 4, request->timeout_ns);
	return proto_written(&w);
}

int message_write_response(const struct message_response *response, uint8_t *out, size_t size)
{
	uint8_t status[MESSAGE_STATUS_SIZE + 16];
	struct proto_writer w = { .out = out, .size = size },
			    of_status = { .out = status, .size = sizeof(status) };

	proto_put_number(&of_status, 1, response->status);
	proto_put_bytes(&of_status, 2, response->text, strlen(response->text));
	proto_put_bytes(&w, 1, status, of_status.used);
	proto_put_bytes(&w, 2, response->payload.at, response->payload.size);
	return proto_written(&w);
}

int message_read_pull(struct proto_bytes payload, struct pull_request *ret)
{
	const struct known known[] = {
		{ .number = 1, .text = ret->image, .size = sizeof(ret->image) },
		{ .number = 2, .text = ret->bundle, .size = sizeof(ret->bundle) },
	};

	memset(ret, 0, sizeof(*ret));
	return read_known(payload, known, ARRAY_SIZE(known));
}

int message_write_pull_answer(const char *manifest_digest, uint8_t *out, size_t size)
{
	struct proto_writer w = { .out = out, .size = size };

	proto_put_bytes(&w, 1, manifest_digest, strlen(manifest_digest));
	return proto_written(&w);
}

int message_write_extend(const struct extend_request *request, uint8_t *out, size_t size)
{
	struct proto_writer w = { .out = out, .size = size };

	proto_put_bytes(&w, 1, request->domain, strlen(request->domain));
	proto_put_bytes(&w, 2, request->operation, strlen(request->operation));
	proto_put_bytes(&w, 3, request->content, strlen(request->content));
	return proto_written(&w);
}

int message_read_extended(struct proto_bytes payload, uint64_t *ret_result)
{
	const struct known known[] = { { .number = 1, .value = ret_result } };

	*ret_result = 0;
	return read_known(payload, known, ARRAY_SIZE(known));
}
