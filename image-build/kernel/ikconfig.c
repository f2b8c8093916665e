// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/kernel/ikconfig.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "image-build/kernel/kconfig.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/base/unpack.h"

#define CHUNK     (128U << 10)
#define MARK_SIZE 8
static const char mark_start[MARK_SIZE + 1] = "IKCFG_ST";
static const char mark_end[MARK_SIZE + 1] = "IKCFG_ED";

/* All of a gzip stream that holds a text; its checksum counts. */
static int unpack_text(const uint8_t *bytes, size_t size, struct buffer *ret, struct err *e)
{
	size_t used;
	int r = unpack_memory(COMPRESSION_GZIP, bytes, size, KCONFIG_TEXT_MAX, ret, &used, e);

	return err_prefix(e, r, "its configuration: ");
}

/* --- the marks ------------------------------------------------------------- */

/* Bytes that come piece by piece; a mark may lie across two of them. */
struct search {
	bool inside;          /* behind the first mark */
	bool found;           /* both marks were there */
	struct buffer window; /* outside: the last bytes seen; inside: what was collected */
};

/* Keep only the bytes from which a mark may still begin. */
static void window_cut(struct buffer *w, size_t gone)
{
	memmove(w->bytes, w->bytes + gone, w->size - gone);
	w->size -= gone;
}

static int search_add(struct search *s, const void *bytes, size_t size, struct err *e)
{
	struct buffer *w = &s->window;
	const uint8_t *mark;

	buffer_add(w, bytes, size);
	if (!s->inside) {
		mark = memmem(w->bytes, w->size, mark_start, MARK_SIZE);
		s->inside = mark;
		if (mark)
			window_cut(w, (size_t)(mark - w->bytes) + MARK_SIZE);
		else if (w->size >= MARK_SIZE)
			window_cut(w, w->size - (MARK_SIZE - 1));
	}
	if (!s->inside)
		return 0;
	mark = memmem(w->bytes, w->size, mark_end, MARK_SIZE);
	if (mark) {
		w->size = (size_t)(mark - w->bytes);
		s->found = true;
	}
	if (w->size > IKCONFIG_GZIP_MAX)
		return refuse_limit(e, "its configuration has more than %u bytes",
				    IKCONFIG_GZIP_MAX);
	return 0;
}

/* Search what unpacks from one place; budget counts down over all places. */
static int search_packed(struct search *s, const uint8_t *bytes, size_t size, size_t *budget,
			 struct err *e)
{
	struct unpack_io io = { .in = bytes, .in_size = size };
	struct buffer chunk auto_buffer = { .bytes = NULL };
	struct unpacker u;
	int r = 0;

	buffer_reserve(&chunk, CHUNK);
	unpack_start(&u, compression_of(bytes, size), UINT64_MAX);
	while (!r && !s->found && !u.ended && !io.out_size) {
		size_t got;
		bool damaged;

		io.out = chunk.bytes;
		io.out_size = CHUNK;
		damaged = unpack_run(&u, &io, NULL);
		got = CHUNK - io.out_size;
		if (got > *budget)
			r = refuse_limit(e, "the image unpacks to more than %u bytes",
					 IKCONFIG_UNPACK_MAX);
		else
			r = search_add(s, chunk.bytes, got, e);
		*budget -= r ? 0 : got;
		/* An error is the end: behind the kernel other bytes follow. */
		if (damaged)
			break;
	}
	unpack_stop(&u);
	return r;
}

/* --- places ------------------------------------------------------------------ */

static int search_image(struct search *s, const uint8_t *image, size_t size, struct err *e)
{
	size_t budget = IKCONFIG_UNPACK_MAX;
	unsigned int tries = 0;
	int r = 0;

	for (size_t at = 0; !r && !s->found && at < size; at++) {
		if (!compression_of(image + at, size - at))
			continue;
		if (++tries > IKCONFIG_TRIES_MAX)
			break;
		s->inside = false;
		s->window.size = 0;
		r = search_packed(s, image + at, size - at, &budget, e);
	}
	return r;
}

/* The marks in the bytes as they are: vmlinux, Image. */
static bool find_plain(const uint8_t *image, size_t size, const uint8_t **ret, size_t *ret_size)
{
	const uint8_t *start = memmem(image, size, mark_start, MARK_SIZE), *end;

	if (!start)
		return false;
	start += MARK_SIZE;
	end = memmem(start, size - (size_t)(start - image), mark_end, MARK_SIZE);
	if (!end || end - start > IKCONFIG_GZIP_MAX)
		return false;
	*ret = start;
	*ret_size = (size_t)(end - start);
	return true;
}

int ikconfig_extract(const uint8_t *image, size_t size, char **ret_text, size_t *ret_size,
		     struct err *e)
{
	struct search s = { .found = false };
	struct buffer text = { .bytes = NULL };
	const uint8_t *packed;
	size_t packed_size;
	int r = 0;

	if (size > IKCONFIG_IMAGE_MAX)
		return refuse_limit(e, "a kernel of more than %u bytes", IKCONFIG_IMAGE_MAX);
	if (!find_plain(image, size, &packed, &packed_size)) {
		r = search_image(&s, image, size, e);
		packed = s.window.bytes;
		packed_size = s.window.size;
		if (!r && !s.found) {
			err_set(e, FAIL_VALUE_INVALID, ENODATA,
				"no configuration in it: not a kernel, or one without "
				"CONFIG_IKCONFIG (name its config file instead)");
			r = -ENODATA;
		}
	}
	if (!r)
		r = unpack_text(packed, packed_size, &text, e);
	free(s.window.bytes);
	if (r) {
		free(text.bytes);
		return r;
	}
	buffer_add(&text, "", 0);
	*ret_text = (char *)text.bytes;
	*ret_size = text.size;
	return 0;
}

/* How a configuration begins, and nothing else that is given here. */
static bool is_text(const void *bytes, size_t size)
{
	const char *c = bytes;

	return size && (*c == '#' || *c == '\n' || (size >= 7 && !memcmp(c, "CONFIG_", 7)));
}

int ikconfig_text(const uint8_t *bytes, size_t size, char **ret_text, size_t *ret_size,
		  struct err *e)
{
	struct buffer text = { .bytes = NULL };

	if (is_text(bytes, size)) {
		buffer_add(&text, bytes, size);
	} else if (!compression_of(bytes, size) || unpack_text(bytes, size, &text, NULL) ||
		   !is_text(text.bytes, text.size)) {
		free(text.bytes);
		return ikconfig_extract(bytes, size, ret_text, ret_size, e);
	}
	*ret_text = (char *)text.bytes;
	*ret_size = text.size;
	return 0;
}
