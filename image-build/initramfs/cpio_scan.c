// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/initramfs/cpio_scan.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "image-build/base/memory.h"
#include "image-build/base/identify.h"
#include "image-build/base/refuse.h"

#define HEADER_SIZE    110
#define NAME_MAX_BYTES 4096

struct header {
	uint32_t mode, size, name_size;
};

static int hex_field(const uint8_t *at, uint32_t *ret)
{
	uint32_t value = 0;

	for (int i = 0; i < 8; i++) {
		const char *digits = "0123456789abcdef0123456789ABCDEF";
		const char *found = at[i] ? strchr(digits, at[i]) : NULL;

		if (!found)
			return -1;
		value = value << 4 | (uint32_t)((found - digits) % 16);
	}
	*ret = value;
	return 0;
}

static int read_header(const uint8_t *at, size_t left, struct header *ret, struct err *e)
{
	if (left < HEADER_SIZE)
		return refuse(e, "a cpio header is cut short");
	if (memcmp(at, "070701", 6) && memcmp(at, "070702", 6))
		return refuse(e, "a cpio header without the newc magic");
	if (hex_field(at + 14, &ret->mode) || hex_field(at + 54, &ret->size) ||
	    hex_field(at + 94, &ret->name_size))
		return refuse(e, "a cpio header with a field that is not a number");
	if (!ret->name_size || ret->name_size > NAME_MAX_BYTES)
		return refuse(e, "a cpio name of %u bytes", ret->name_size);
	return 0;
}

static size_t round_up_4(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

static void note_name(const char *name, struct cpio_facts *facts)
{
	while (*name == '/' || (name[0] == '.' && name[1] == '/'))
		name++;
	if (!strcmp(name, "init"))
		facts->has_init = 1;
}

/* One archive from its first header to its trailer: *used is its length. */
static int scan_archive(const uint8_t *bytes, size_t size, struct cpio_segment *segment,
			struct cpio_facts *facts, size_t *used, struct err *e)
{
	size_t at = 0;

	while (true) {
		const char *name;
		struct header h;
		size_t content;
		int r = read_header(bytes + at, size - at, &h, e);

		if (r)
			return r;
		name = (const char *)bytes + at + HEADER_SIZE;
		content = round_up_4(at + HEADER_SIZE + h.name_size);
		if (content > size || round_up_4(content + h.size) > round_up_4(size) ||
		    content + h.size > size)
			return refuse(e, "a cpio entry is cut short");
		if (name[h.name_size - 1])
			return refuse(e, "a cpio name that is not terminated");
		at = round_up_4(content + h.size);
		if (at > size)
			at = size;
		if (!strcmp(name, "TRAILER!!!")) {
			*used = at;
			return 0;
		}
		segment->entries++;
		segment->content_bytes += h.size;
		note_name(name, facts);
	}
}

static int new_segment(struct cpio_facts *facts, const char *compression, uint64_t offset,
		       struct cpio_segment **ret, struct err *e)
{
	if (facts->count == CPIO_SEGMENTS_MAX)
		return refuse_limit(e, "more than %d cpio archives", CPIO_SEGMENTS_MAX);
	*ret = &facts->segments[facts->count++];
	**ret = (struct cpio_segment){ .compression = compression, .offset = offset };
	return 0;
}

struct buffer {
	uint8_t *bytes;
	size_t size, room;
};

static int make_room(struct buffer *b, struct err *e)
{
	if (b->size > CPIO_PLAIN_MAX)
		return refuse_limit(e, "an archive that unpacks to more than %llu bytes",
				    CPIO_PLAIN_MAX);
	if (b->size == b->room) {
		size_t room = b->room ? b->room * 2 : 1 << 20;
		uint8_t *bytes = memory_zero(1, room);

		if (b->size)
			memcpy(bytes, b->bytes, b->size);
		free(b->bytes);
		b->bytes = bytes;
		b->room = room;
	}
	return 0;
}

static int unpack_gzip(const uint8_t *bytes, size_t size, struct buffer *out, size_t *used,
		       struct err *e)
{
	union {
		const uint8_t *in;
		Bytef *out;
	} input = { .in = bytes };
	z_stream z = { .next_in = input.out };
	size_t fed = 0;
	int r = 0, state = Z_OK;

	if (inflateInit2(&z, 15 + 16) != Z_OK)
		return refuse(e, "zlib cannot be initialised");
	while (!r && state == Z_OK) {
		size_t chunk = size - fed < 1 << 20 ? size - fed : 1 << 20;

		r = make_room(out, e);
		if (r)
			break;
		z.next_in = input.out + fed;
		z.avail_in = (uInt)chunk;
		z.next_out = out->bytes + out->size;
		z.avail_out =
			(uInt)(out->room - out->size > 1 << 20 ? 1 << 20 : out->room - out->size);
		state = inflate(&z, Z_NO_FLUSH);
		fed += chunk - z.avail_in;
		out->size = (size_t)(z.next_out - out->bytes);
	}
	inflateEnd(&z);
	*used = fed;
	if (!r && state != Z_STREAM_END)
		r = refuse(e, "a gzip archive is damaged or cut short");
	return r;
}

static int unpack_zstd(const uint8_t *bytes, size_t size, struct buffer *out, size_t *used,
		       struct err *e)
{
	ZSTD_DStream *z = ZSTD_createDStream();
	ZSTD_inBuffer in = { bytes, size, 0 };
	size_t hint = 1;
	int r = 0;

	while (!r && hint) {
		ZSTD_outBuffer o;
		size_t before = in.pos;

		r = make_room(out, e);
		if (r)
			break;
		o = (ZSTD_outBuffer){ out->bytes, out->room, out->size };
		hint = ZSTD_decompressStream(z, &o, &in);
		if (ZSTD_isError(hint) || (hint && in.pos == before && o.pos == out->size))
			r = refuse(e, "a zstd archive is damaged or cut short");
		out->size = o.pos;
	}
	ZSTD_freeDStream(z);
	*used = in.pos;
	return r;
}

/* Archives one after another that are not packed, with zeroes between them. */
static int scan_plain(const uint8_t *bytes, size_t size, const char *compression, uint64_t offset,
		      struct cpio_facts *facts, size_t *used, struct err *e)
{
	bool packed = strcmp(compression, "none");
	size_t at = 0;

	while (at < size) {
		struct cpio_segment *segment;
		size_t n = 0;
		int r;

		if (!bytes[at]) {
			at++;
			continue;
		}
		if (bytes[at] != '0')
			break;
		r = new_segment(facts, compression, packed ? offset : offset + at, &segment, e);
		if (!r)
			r = scan_archive(bytes + at, size - at, segment, facts, &n, e);
		if (r)
			return r;
		at += n;
	}
	*used = at;
	return 0;
}

static int scan_packed(const uint8_t *bytes, size_t size, uint64_t offset, struct cpio_facts *facts,
		       size_t *used, struct err *e)
{
	enum image_kind kind = probe_kind(bytes, size);
	struct buffer plain = { .bytes = NULL };
	struct cpio_segment *segment;
	size_t n = 0;
	int r;

	if (kind == IMAGE_XZ) {
		/* Its end is not known without unpacking it: take it for the last one. */
		*used = size;
		return new_segment(facts, "xz", offset, &segment, e);
	}
	if (kind != IMAGE_GZIP && kind != IMAGE_ZSTD)
		return refuse(e, "bytes at %llu that are not a cpio archive",
			      (unsigned long long)offset);
	r = kind == IMAGE_GZIP ? unpack_gzip(bytes, size, &plain, used, e) :
				 unpack_zstd(bytes, size, &plain, used, e);
	if (!r)
		r = scan_plain(plain.bytes, plain.size, kind == IMAGE_GZIP ? "gzip" : "zstd",
			       offset, facts, &n, e);
	if (!r && n != plain.size)
		r = refuse(e, "a compressed archive that is not cpio");
	free(plain.bytes);
	return r;
}

int cpio_scan(const uint8_t *bytes, size_t size, struct cpio_facts *ret, struct err *e)
{
	struct cpio_facts facts = { .count = 0 };
	size_t at = 0;

	while (at < size) {
		size_t used = 0;
		int r;

		if (bytes[at] && bytes[at] != '0')
			r = scan_packed(bytes + at, size - at, at, &facts, &used, e);
		else
			r = scan_plain(bytes + at, size - at, "none", at, &facts, &used, e);
		if (r)
			return r;
		at += used;
	}
	if (!facts.count)
		return refuse(e, "no cpio archive in it");
	*ret = facts;
	return 0;
}
