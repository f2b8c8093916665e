// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/kernel/ikconfig.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "image-build/kernel/kconfig.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "lib/array.h"

#define CHUNK     (128U << 10)
#define GZIP_ONLY (16 + MAX_WBITS) /* for zlib */
#define MARK_SIZE 8
static const char mark_start[MARK_SIZE + 1] = "IKCFG_ST";
static const char mark_end[MARK_SIZE + 1] = "IKCFG_ED";

/* A text that grows up to a limit. */
struct buffer {
	char *bytes;
	size_t size, room;
};

static void buffer_add(struct buffer *b, const void *bytes, size_t size)
{
	size_t needed = b->size + size + 1;
	char *bigger;

	if (needed > b->room) {
		b->room = 2 * needed;
		bigger = memory_zero(1, b->room);
		if (b->size)
			memcpy(bigger, b->bytes, b->size);
		free(b->bytes);
		b->bytes = bigger;
	}
	memcpy(b->bytes + b->size, bytes, size);
	b->size += size;
	b->bytes[b->size] = '\0';
}

/* --- unpacking ----------------------------------------------------------- */

static void cleanup_archive(struct archive **a)
{
	archive_read_free(*a);
}

#define auto_archive __attribute__((cleanup(cleanup_archive)))

/* Ready to read the unpacked bytes; false where they are not what they look like. */
static bool open_packed(struct archive *a, const uint8_t *bytes, size_t size)
{
	struct archive_entry *entry;

	archive_read_support_format_raw(a);
	archive_read_support_filter_gzip(a);
	archive_read_support_filter_xz(a);
	archive_read_support_filter_zstd(a);
	archive_read_support_filter_lz4(a);
	return archive_read_open_memory(a, bytes, size) == ARCHIVE_OK &&
	       archive_read_next_header(a, &entry) == ARCHIVE_OK &&
	       archive_filter_code(a, 0) != ARCHIVE_FILTER_NONE;
}

/* All of a gzip stream that holds a text; its checksum counts. */
static int unpack_text(const uint8_t *bytes, size_t size, struct buffer *ret, struct err *e)
{
	char *chunk auto_text = memory_zero(1, CHUNK);
	z_stream z = { .next_in = (z_const Bytef *)(uintptr_t)bytes, .avail_in = (uInt)size };
	int status = inflateInit2(&z, GZIP_ONLY);
	bool too_much = false;

	while (status == Z_OK && !too_much) {
		z.next_out = (Bytef *)chunk;
		z.avail_out = CHUNK;
		status = inflate(&z, Z_NO_FLUSH);
		buffer_add(ret, chunk, CHUNK - z.avail_out);
		too_much = ret->size > KCONFIG_TEXT_MAX;
	}
	inflateEnd(&z);
	if (too_much)
		return refuse_limit(e, "its configuration unpacks to more than %d bytes",
				    KCONFIG_TEXT_MAX);
	if (status != Z_STREAM_END)
		return refuse(e, "its configuration is damaged");
	return 0;
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
	const char *mark;

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
	struct archive *a auto_archive = archive_read_new();
	char *chunk auto_text = memory_zero(1, CHUNK);
	la_ssize_t n;
	int r = 0;

	if (!open_packed(a, bytes, size))
		return 0;
	/* An error is the end: behind the kernel other bytes follow. */
	while (!r && !s->found && (n = archive_read_data(a, chunk, CHUNK)) > 0) {
		if ((size_t)n > *budget)
			return refuse_limit(e, "the image unpacks to more than %u bytes",
					    IKCONFIG_UNPACK_MAX);
		*budget -= (size_t)n;
		r = search_add(s, chunk, (size_t)n, e);
	}
	return r;
}

/* --- places ------------------------------------------------------------------ */

static const struct magic {
	size_t size;
	uint8_t bytes[6];
} magics[] = {
	{ 3, { 0x1f, 0x8b, 0x08 } },               /* gzip, RFC 1952 */
	{ 6, { 0xfd, '7', 'z', 'X', 'Z', 0x00 } }, /* xz */
	{ 4, { 0x28, 0xb5, 0x2f, 0xfd } },         /* zstd, RFC 8878 */
	{ 4, { 0x02, 0x21, 0x4c, 0x18 } },         /* LZ4 as the kernel packs it */
	{ 4, { 0x04, 0x22, 0x4d, 0x18 } },         /* LZ4's frame */
};

static bool looks_packed(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < ARRAY_SIZE(magics); i++)
		if (size >= magics[i].size && !memcmp(bytes, magics[i].bytes, magics[i].size))
			return true;
	return false;
}

static int search_image(struct search *s, const uint8_t *image, size_t size, struct err *e)
{
	size_t budget = IKCONFIG_UNPACK_MAX;
	unsigned int tries = 0;
	int r = 0;

	for (size_t at = 0; !r && !s->found && at < size; at++) {
		if (!looks_packed(image + at, size - at))
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
		packed = (const uint8_t *)s.window.bytes;
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
	*ret_text = text.bytes;
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
	} else if (!looks_packed(bytes, size) || unpack_text(bytes, size, &text, NULL) ||
		   !is_text(text.bytes, text.size)) {
		free(text.bytes);
		return ikconfig_extract(bytes, size, ret_text, ret_size, e);
	}
	*ret_text = text.bytes;
	*ret_size = text.size;
	return 0;
}
