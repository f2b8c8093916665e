// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Protobuf's fields, and the messages of ttrpc, the data hub and the attestation agent. */
#include "mount/serve/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

#define BYTES(text)                                                                                \
	{                                                                                          \
		(const uint8_t *)(text), sizeof(text) - 1                                          \
	}

static const struct {
	const char *label;
	struct proto_bytes bytes;
	int r; /* of the field that is not one, or of the last one: 1 */
	uint64_t value;
} fields[] = {
	{ "one", BYTES("\x08\x01"), 1, 1 },
	{ "two bytes", BYTES("\x08\xac\x02"), 1, 300 },
	{ "64 bits", BYTES("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), 1, UINT64_MAX },
	{ "65 bits", BYTES("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"), -EINVAL, 0 },
	{ "eleven bytes", BYTES("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"), -EINVAL, 0 },
	{ "a number that is cut", BYTES("\x08\x80"), -EINVAL, 0 },
	{ "no number", BYTES("\x08"), -EINVAL, 0 },
	{ "field 0", BYTES("\x00\x01"), -EINVAL, 0 },
	{ "field 2^29-1", BYTES("\xf8\xff\xff\xff\x0f\x05"), 1, 5 },
	{ "field 2^29", BYTES("\x80\x80\x80\x80\x10\x05"), -EINVAL, 0 },
	{ "a group", BYTES("\x0b"), -EINVAL, 0 },
	{ "a group's end", BYTES("\x0c"), -EINVAL, 0 },
	{ "type 6", BYTES("\x0e"), -EINVAL, 0 },
	{ "type 7", BYTES("\x0f"), -EINVAL, 0 },
	{ "fixed 32", BYTES("\x0d\x01\x02\x03\x04"), 1, 0 },
	{ "fixed 32 that is cut", BYTES("\x0d\x01\x02\x03"), -EINVAL, 0 },
	{ "fixed 64", BYTES("\x09\x01\x02\x03\x04\x05\x06\x07\x08"), 1, 0 },
	{ "fixed 64 that is cut", BYTES("\x09\x01\x02\x03\x04\x05\x06\x07"), -EINVAL, 0 },
	{ "no bytes", BYTES("\x0a\x00"), 1, 0 },
	{ "bytes that are cut", BYTES("\x0a\x02\x41"), -EINVAL, 0 },
	{ "2^64-1 bytes", BYTES("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x41"), -EINVAL, 0 },
};

static void test_fields(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		struct proto_bytes rest = fields[i].bytes;
		struct proto_field field = { .value = 0 };
		int r = proto_next(&rest, &field);

		if (r != fields[i].r || field.value != fields[i].value)
			fail_msg("%s: %d, %llu", fields[i].label, r,
				 (unsigned long long)field.value);
		if (r == 1)
			assert_int_equal(proto_next(&rest, &field), 0);
	}
}

static void test_texts(void **state)
{
	static const struct {
		struct proto_bytes bytes;
		int r;
	} rows[] = {
		{ BYTES("1234567"), 0 },
		{ BYTES("12345678"), -E2BIG },
		{ BYTES(""), 0 },
		{ BYTES("\xc3\xa4"), 0 },
		{ BYTES("\xc3"), -EINVAL },
		{ BYTES("a\0b"), -EINVAL },
		{ BYTES("a\nb"), -EINVAL },
		{ BYTES("a\x1b"), -EINVAL },
		{ BYTES("a\x7f"), -EINVAL },
	};
	char text[8];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(proto_text(rows[i].bytes, text, sizeof(text)), rows[i].r);
}

/* As kata-agent's library writes it: PullImage of "a/b", bundle "/r/c", five seconds. */
static const char pull_frame[] = "\x0a\x14"
				 "api.ImagePullService\x12\x09PullImage\x1a\x0b\x0a\x03"
				 "a/b\x12\x04/r/c\x20\x80\xe4\x97\xd0\x12";

static void test_request(void **state)
{
	struct proto_bytes bytes = BYTES(pull_frame);
	struct message_request request;
	struct pull_request pull;
	uint8_t again[128];

	(void)state;
	assert_int_equal(message_read_request(bytes, &request), 0);
	assert_string_equal(request.service, PULL_SERVICE);
	assert_string_equal(request.method, PULL_METHOD);
	assert_int_equal(request.timeout_ns, 5000000000);
	assert_int_equal(message_read_pull(request.payload, &pull), 0);
	assert_string_equal(pull.image, "a/b");
	assert_string_equal(pull.bundle, "/r/c");
	assert_int_equal(message_write_request(&request, again, sizeof(again)),
			 sizeof(pull_frame) - 1);
	assert_memory_equal(again, pull_frame, sizeof(pull_frame) - 1);
	assert_int_equal(message_write_request(&request, again, 20), -E2BIG);
}

/* Cut anywhere it is no request, or one with less in it, and nothing is read past its end. */
static void test_cut_request(void **state)
{
	struct message_request request;
	uint8_t *bytes;

	(void)state;
	for (size_t size = 0; size < sizeof(pull_frame) - 1; size++) {
		bytes = malloc(size + 1);
		memcpy(bytes, pull_frame, size);
		if (!message_read_request((struct proto_bytes){ bytes, size }, &request) &&
		    request.timeout_ns)
			fail_msg("whole with %zu bytes", size);
		free(bytes);
	}
}

static void test_odd_requests(void **state)
{
	static const struct {
		struct proto_bytes bytes;
		int r;
		const char *service;
	} rows[] = {
		{ BYTES(""), 0, "" },
		{ BYTES("\x0a\x01\x61\x0a\x01\x62"), 0, "b" }, /* the last one counts */
		{ BYTES("\x2a\x02xx\x0a\x01\x61"), 0, "a" },   /* metadata are skipped */
		{ BYTES("\x0a\x01\x61\xc0\x3e\x01"), 0, "a" }, /* so is what we do not know */
		{ BYTES("\x08\x01"), -EINVAL, NULL },          /* a number in a text's place */
		{ BYTES("\x22\x01\x61"), -EINVAL, NULL },      /* bytes in a number's */
		{ BYTES("\x0a\x01\n"), -EINVAL, NULL },
	};
	struct message_request request;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(message_read_request(rows[i].bytes, &request), rows[i].r);
		if (rows[i].service)
			assert_string_equal(request.service, rows[i].service);
	}
}

static void test_response(void **state)
{
	struct message_response response = { .status = STATUS_NOT_FOUND, .text = "no such image" };
	struct message_response again;
	uint8_t bytes[128];
	int size = message_write_response(&response, bytes, sizeof(bytes));

	(void)state;
	assert_int_equal(size, 2 + 2 + 2 + 13);
	assert_memory_equal(bytes, "\x0a\x11\x08\x05\x12\x0dno such image", 19);
	assert_int_equal(message_read_response((struct proto_bytes){ bytes, 19 }, &again), 0);
	assert_int_equal(again.status, STATUS_NOT_FOUND);
	assert_string_equal(again.text, "no such image");

	/* A status within a status is read as strictly. */
	assert_int_equal(message_read_response((struct proto_bytes)BYTES("\x0a\x01\x08"), &again),
			 -EINVAL);
	/* One that is well has no status at all. */
	response = (struct message_response){ .payload = BYTES("xy") };
	assert_int_equal(message_write_response(&response, bytes, sizeof(bytes)), 4);
	assert_memory_equal(bytes, "\x12\x02xy", 4);
}

static void test_answers(void **state)
{
	const struct extend_request extend = { "d", "o", "c" };
	uint64_t result = 7;
	uint8_t bytes[16];

	(void)state;
	assert_int_equal(message_write_pull_answer("sha256:ab", bytes, sizeof(bytes)), 11);
	assert_memory_equal(bytes, "\x0a\x09sha256:ab", 11);
	assert_int_equal(message_write_extend(&extend, bytes, sizeof(bytes)), 9);
	assert_memory_equal(bytes, "\x0a\x01\x64\x12\x01o\x1a\x01\x63", 9);
	assert_int_equal(message_read_extended((struct proto_bytes){ NULL, 0 }, &result), 0);
	assert_int_equal(result, 0);
	assert_int_equal(message_read_extended((struct proto_bytes)BYTES("\x08\x02"), &result), 0);
	assert_int_equal(result, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),       cmocka_unit_test(test_texts),
		cmocka_unit_test(test_request),      cmocka_unit_test(test_cut_request),
		cmocka_unit_test(test_odd_requests), cmocka_unit_test(test_response),
		cmocka_unit_test(test_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
