// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/serve/protobuf.h"

#include <errno.h>
#include <string.h>

#include "mount/serve/utf8.h"

#define VARINT_BYTES_MAX 10

static int take_varint(struct proto_bytes *rest, uint64_t *ret)
{
	uint64_t value = 0;

	for (size_t i = 0; i < rest->size && i < VARINT_BYTES_MAX; i++) {
		uint64_t bits = rest->at[i] & 0x7f;

		/* The tenth byte has one bit of a number of 64. */
		if (i == VARINT_BYTES_MAX - 1 && bits > 1)
			return -EINVAL;
		value |= bits << (7 * i);
		if (rest->at[i] & 0x80)
			continue;
		rest->at += i + 1;
		rest->size -= i + 1;
		*ret = value;
		return 0;
	}
	return -EINVAL;
}

static int take_bytes(struct proto_bytes *rest, uint64_t size, struct proto_bytes *ret)
{
	if (size > rest->size)
		return -EINVAL;
	*ret = (struct proto_bytes){ rest->at, (size_t)size };
	rest->at += size;
	rest->size -= (size_t)size;
	return 0;
}

int proto_next(struct proto_bytes *rest, struct proto_field *ret)
{
	struct proto_field field = { 0 };
	uint64_t key, size;
	int r;

	if (!rest->size)
		return 0;
	if (take_varint(rest, &key) || key >> 3 == 0 || key >> 3 >= 1u << 29)
		return -EINVAL;
	field.number = (uint32_t)(key >> 3);
	field.type = (enum proto_type)(key & 7);
	switch ((unsigned int)field.type) {
	case PROTO_NUMBER:
		r = take_varint(rest, &field.value);
		break;
	case PROTO_FIXED64:
		r = take_bytes(rest, 8, &field.bytes);
		break;
	case PROTO_BYTES:
		r = take_varint(rest, &size);
		r = r ? r : take_bytes(rest, size, &field.bytes);
		break;
	case PROTO_FIXED32:
		r = take_bytes(rest, 4, &field.bytes);
		break;
	default:
		r = -EINVAL;
	}
	if (r)
		return r;
	*ret = field;
	return 1;
}

int proto_text(struct proto_bytes bytes, char *text, size_t size)
{
	if (bytes.size >= size)
		return -E2BIG;
	for (size_t i = 0; i < bytes.size; i++)
		if (bytes.at[i] < ' ' || bytes.at[i] == 0x7f)
			return -EINVAL;
	if (!utf8_is_valid((const char *)bytes.at, bytes.size))
		return -EINVAL;
	if (bytes.size)
		memcpy(text, bytes.at, bytes.size);
	text[bytes.size] = '\0';
	return 0;
}

static void put(struct proto_writer *w, const void *bytes, size_t size)
{
	if (w->used <= w->size && size <= w->size - w->used)
		memcpy(w->out + w->used, bytes, size);
	w->used += size;
}

static void put_varint(struct proto_writer *w, uint64_t value)
{
	uint8_t byte;

	do {
		byte = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
		put(w, &byte, 1);
		value >>= 7;
	} while (value);
}

void proto_put_number(struct proto_writer *w, uint32_t number, uint64_t value)
{
	if (!value)
		return;
	put_varint(w, (uint64_t)number << 3 | PROTO_NUMBER);
	put_varint(w, value);
}

void proto_put_bytes(struct proto_writer *w, uint32_t number, const void *bytes, size_t size)
{
	if (!size)
		return;
	put_varint(w, (uint64_t)number << 3 | PROTO_BYTES);
	put_varint(w, size);
	put(w, bytes, size);
}

int proto_written(const struct proto_writer *w)
{
	return w->used > w->size ? -E2BIG : (int)w->used;
}
