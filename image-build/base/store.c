// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/base/store.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "image-build/base/checksum.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/base/write.h"
#include "lib/io.h"

#define BUFFER_SIZE (256 << 10)
/* From so many bytes on, copying them once more costs more than another write. */
#define DIRECT_SIZE (64 << 10)

static const uint8_t zeroes[CONTENT_BLOCK];

/* --- appending ------------------------------------------------------------- */

/* Write all but the last keep bytes. */
static int flush(struct appender *a, size_t keep, struct err *e)
{
	size_t size = a->used - keep;
	int r = size ? write_all_at(a->fd, a->buffer, size, a->written) : 0;

	if (r)
		return system_result(e, r, "write the contents of files");
	if (keep)
		memmove(a->buffer, a->buffer + size, keep);
	a->written += size;
	a->used = keep;
	return 0;
}

/* The bytes of the block that is not full yet stay: they may become a tail. */
static size_t partial(const struct appender *a)
{
	return (a->written + a->used) % CONTENT_BLOCK;
}

static int append(struct appender *a, const void *bytes, size_t size, struct err *e)
{
	const uint8_t *at = bytes;
	int r = 0;

	if (!a->buffer)
		a->buffer = memory_zero(1, BUFFER_SIZE);
	while (!r && size) {
		size_t n = BUFFER_SIZE - a->used < size ? BUFFER_SIZE - a->used : size;

		if (size >= DIRECT_SIZE && !partial(a)) {
			n = size - size % CONTENT_BLOCK;
			r = flush(a, 0, e);
			if (!r)
				r = write_all_at(a->fd, at, n, a->written);
			if (r)
				return system_result(e, r, "write the contents of files");
			a->written += n;
		} else {
			memcpy(a->buffer + a->used, at, n);
			a->used += n;
			if (a->used == BUFFER_SIZE)
				r = flush(a, partial(a), e);
		}
		at += n;
		size -= n;
	}
	return r;
}

ssize_t appender_read(const struct appender *a, void *buf, size_t size, uint64_t at)
{
	uint8_t *to = buf;
	size_t in_file = 0;

	if (at < a->written) {
		ssize_t n;

		in_file = size < a->written - at ? size : (size_t)(a->written - at);
		n = io_pread(a->fd, to, in_file, at);
		if (n != (ssize_t)in_file)
			return n < 0 ? n : -EIO;
	}
	if (in_file < size) {
		uint64_t from = at + in_file - a->written;

		if (from > a->used || size - in_file > a->used - from)
			return -EIO;
		memcpy(to + in_file, a->buffer + from, size - in_file);
	}
	return (ssize_t)size;
}

static void close_appender(struct appender *a)
{
	if (a->fd >= 0)
		close(a->fd);
	free(a->buffer);
	*a = (struct appender){ .fd = -1 };
}

/* --- the store ------------------------------------------------------------- */

void store_open(struct store *s, int fd, int tails, uint32_t first_block)
{
	*s = (struct store){
		.data = { .fd = fd, .written = (uint64_t)first_block * CONTENT_BLOCK },
		.tails = { .fd = tails },
		.first_block = first_block,
		.blocks = first_block,
	};
}

void store_close(struct store *s)
{
	close_appender(&s->data);
	close_appender(&s->tails);
	free(s->runs);
	*s = (struct store)STORE_NONE;
}

int store_flush(struct store *s, struct err *e)
{
	int r = flush(&s->data, 0, e);

	if (!r)
		r = flush(&s->tails, 0, e);
	free(s->data.buffer);
	free(s->tails.buffer);
	s->data.buffer = s->tails.buffer = NULL;
	return r;
}

/* Bytes of the block that the content's last byte stands in; padding is not data. */
static int put(struct content *c, struct store *s, const void *bytes, size_t size, struct err *e)
{
	c->crc = checksum(c->crc, bytes, size);
	return append(&s->data, bytes, size, e);
}

static int put_zeroes(struct content *c, struct store *s, size_t size, struct err *e)
{
	s->end += size;
	return put(c, s, zeroes, size, e);
}

/* Zeroes up to an offset in the block that is under way, or to that block's end. */
static int fill_block(struct content *c, struct store *s, uint64_t offset, struct err *e)
{
	size_t left = (size_t)(-s->end % CONTENT_BLOCK);

	return put_zeroes(c, s, offset - s->end < left ? (size_t)(offset - s->end) : left, e);
}

/* A hole of whole blocks ends here, or there was nothing before. */
static int begin_run(struct content *c, struct store *s, uint64_t offset, struct err *e)
{
	uint32_t block = (uint32_t)(offset / CONTENT_BLOCK);
	struct content_run *last = s->run_count ? &s->runs[s->run_count - 1] : NULL;

	if (!last || last->first + last->count != block) {
		s->runs = memory_grow(s->runs, s->run_count, &s->run_room, sizeof(*s->runs));
		s->runs[s->run_count++] = (struct content_run){ block, 0 };
	}
	s->end = (uint64_t)block * CONTENT_BLOCK;
	return put_zeroes(c, s, (size_t)(offset % CONTENT_BLOCK), e);
}

/* How many blocks the last run covers, now that it has been added to. */
static int measure_run(struct store *s, struct err *e)
{
	struct content_run *last = &s->runs[s->run_count - 1];
	uint32_t count = (uint32_t)((s->end + CONTENT_BLOCK - 1) / CONTENT_BLOCK) - last->first;

	if (count - last->count > UINT32_MAX - s->blocks)
		return refuse_limit(e, "the files have more than 2^32 blocks");
	s->blocks += count - last->count;
	last->count = count;
	return 0;
}

int content_add(struct content *c, struct store *s, const void *bytes, size_t size, uint64_t offset,
		struct err *e)
{
	int r;

	if (!size)
		return 0;
	if (!c->store) {
		*c = (struct content){ s, NULL, s->blocks, CONTENT_NO_TAIL, ~0U };
		s->end = 0;
		s->run_count = 0;
	}
	if (offset < s->end)
		return refuse(e, "its pieces overlap");
	r = fill_block(c, s, offset, e);
	if (!r && (offset > s->end || !s->run_count))
		r = begin_run(c, s, offset, e);
	if (!r)
		r = put(c, s, bytes, size, e);
	s->end += size;
	return r ? r : measure_run(s, e);
}

static int add_tail(struct content *c, struct store *s, const void *bytes, size_t size,
		    struct err *e)
{
	uint64_t at = s->tails.written + s->tails.used;
	int r;

	if (at / CONTENT_TAIL_UNIT >= CONTENT_NO_TAIL)
		return refuse_limit(e, "the files have too many tails");
	c->tail = (uint32_t)(at / CONTENT_TAIL_UNIT);
	r = append(&s->tails, bytes, size, e);
	return r ? r : append(&s->tails, zeroes, -size % CONTENT_TAIL_UNIT, e);
}

/* The bytes of the last block, which is not written yet. */
static int keep_tail(struct content *c, struct store *s, size_t size, struct err *e)
{
	s->data.used -= size;
	s->blocks--;
	return add_tail(c, s, s->data.buffer + s->data.used, size, e);
}

int content_move_tail(struct content *c, struct store *to, uint64_t file_size, struct err *e)
{
	size_t size = content_tail_size(c, file_size);
	uint8_t bytes[CONTENT_BLOCK];
	int r;

	if (!size)
		return 0;
	r = content_read_tail(c, file_size, bytes, e);
	return r ? r : add_tail(c, to, bytes, size, e);
}

static void keep_map(struct content *c, const struct store *s)
{
	size_t size = s->run_count * sizeof(*s->runs);

	c->map = memory_zero(1, sizeof(*c->map) + size);
	c->map->count = s->run_count;
	memcpy(c->map->runs, s->runs, size);
}

int content_end(struct content *c, struct store *s, uint64_t file_size, size_t tail_max,
		struct err *e)
{
	size_t tail;
	int r;

	if (!c->store)
		return 0;
	if (file_size < s->end)
		return refuse(e, "its content has more bytes than its size says");
	r = fill_block(c, s, file_size, e);
	if (r)
		return r;
	tail = (size_t)(s->end % CONTENT_BLOCK);
	if (s->end != file_size || s->run_count != 1 || s->runs[0].first)
		keep_map(c, s);
	else if (tail && tail <= tail_max && s->tails.fd >= 0)
		return keep_tail(c, s, tail, e);
	return tail ? append(&s->data, zeroes, CONTENT_BLOCK - tail, e) : 0;
}
