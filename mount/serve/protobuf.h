/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_SERVE_PROTOBUF_H
#define MOUNT_SERVE_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

/*
 * The few of protobuf's fields that the data hub's messages consist of, as its
 * "Encoding" page (protobuf.dev/programming-guides/encoding) has them. Pure.
 */

enum proto_type {
	PROTO_NUMBER = 0, /* a varint of at most ten bytes */
	PROTO_FIXED64 = 1,
	PROTO_BYTES = 2,
	PROTO_FIXED32 = 5,
};

/* Bytes that are somebody else's. */
struct proto_bytes {
	const uint8_t *at;
	size_t size;
};

struct proto_field {
	uint32_t number; /* from 1 */
	enum proto_type type;
	uint64_t value;           /* PROTO_NUMBER */
	struct proto_bytes bytes; /* PROTO_BYTES */
};

/*
 * Take the next field off *rest: 1, 0 at the end. -EINVAL for what is no field, a
 * group among them, which proto3 does not have: a length that goes past the end, a
 * varint above 64 bits, a number that is none.
 */
int proto_next(struct proto_bytes *rest, struct proto_field *ret);

/*
 * Take bytes as a text: UTF-8 as proto3 wants it, and no control characters, a NUL
 * among them. -EINVAL; -E2BIG where it does not fit into size bytes with a NUL.
 */
int proto_text(struct proto_bytes bytes, char *text, size_t size);

/* What is written into. Too much for it shows in proto_written(). */
struct proto_writer {
	uint8_t *out;
	size_t size, used;
};

/* A field; one that has its type's zero value is left out, as proto3 has it. */
void proto_put_number(struct proto_writer *w, uint32_t number, uint64_t value);
void proto_put_bytes(struct proto_writer *w, uint32_t number, const void *bytes, size_t size);

/* How many bytes were written; -E2BIG where there was no room for all. */
int proto_written(const struct proto_writer *w);

#endif
