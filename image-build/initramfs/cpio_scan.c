// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/initramfs/cpio_scan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "image-build/base/refuse.h"
#include "image-build/initramfs/cpio.h"
#include "lib/array.h"

#define HEADER_SIZE 110
#define PATH_SIZE   4096 /* the kernel's PATH_MAX: it passes over what is longer */

/* One file's bytes while they are read. */
struct scan {
	const uint8_t *file;
	size_t size;
	struct cpio_facts facts;
	int (*visit)(const struct cpio_entry *entry, void *context, struct err *e); /* or NULL */
	void *context;
};

/* The bytes that an archive's entries stand in: the file's, or what one segment unpacks to. */
struct stretch {
	const uint8_t *bytes;
	size_t size;
	enum compression compression;
	uint64_t offset; /* in the file; of the packed segment */
};

struct header {
	struct cpio_entry entry; /* what is in the header of it */
	uint32_t mode, size, name_size, sum;
	bool has_sum;
};

static int refuse_at(uint64_t offset, const char *what, struct err *e)
{
	return refuse(e, "byte %" PRIu64 ": %s", offset, what);
}

static int refuse_in(const struct stretch *s, size_t at, const char *what, struct err *e)
{
	if (s->compression == COMPRESSION_NONE)
		return refuse_at(s->offset + at, what, e);
	return refuse(e, "byte %zu of what is packed at byte %" PRIu64 ": %s", at, s->offset, what);
}

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

/* NULL, or what is wrong with the header. */
static const char *read_header(const uint8_t *at, size_t left, struct header *ret)
{
	if (left < HEADER_SIZE)
		return "a cpio archive is cut short";
	if (!memcmp(at, "070707", 6))
		return "a cpio archive of the old kind, where the kernel needs newc (cpio -H newc)";
	ret->has_sum = !memcmp(at, "070702", 6);
	if (memcmp(at, "070701", 6) && !ret->has_sum)
		return "no cpio header, where one is due";
	if (hex_field(at + 14, &ret->mode) || hex_field(at + 54, &ret->size) ||
	    hex_field(at + 94, &ret->name_size) || hex_field(at + 102, &ret->sum) ||
	    hex_field(at + 22, &ret->entry.uid) || hex_field(at + 30, &ret->entry.gid) ||
	    hex_field(at + 38, &ret->entry.links) || hex_field(at + 46, &ret->entry.mtime) ||
	    hex_field(at + 78, &ret->entry.device_major) ||
	    hex_field(at + 86, &ret->entry.device_minor))
		return "a cpio header with a field that is not a number";
	if (!ret->name_size || ret->name_size > PATH_SIZE)
		return "a cpio entry whose name has no byte or more than 4096, which the kernel "
		       "passes over";
	if (S_ISLNK(ret->mode) && ret->size > PATH_SIZE)
		return "a symbolic link to more than 4096 bytes, which the kernel passes over";
	if (ret->size && !S_ISLNK(ret->mode) && !S_ISREG(ret->mode))
		return "a cpio entry with content that is not a file, which the kernel passes over";
	return NULL;
}

static size_t round_up(size_t n)
{
	return (n + CPIO_ALIGNMENT - 1) / CPIO_ALIGNMENT * CPIO_ALIGNMENT;
}

static void keep_mark(char ret[MARK_SIZE], const uint8_t *content, size_t size)
{
	memset(ret, 0, MARK_SIZE);
	memcpy(ret, content, size < MARK_SIZE ? size : MARK_SIZE - 1);
}

static void note_entry(struct cpio_facts *facts, const char *name, const uint8_t *content,
		       size_t size)
{
	while (*name == '/' || (name[0] == '.' && name[1] == '/'))
		name++;
	if (!strcmp(name, "init"))
		facts->has_init = true;
	if (!strcmp(name, &MARK_BEGUN[1]))
		keep_mark(facts->begun, content, size);
	if (!strcmp(name, &MARK_COMPLETE[1]))
		keep_mark(facts->complete, content, size);
}

static bool sum_is_right(const struct header *h, const uint8_t *content)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < h->size; i++)
		sum += content[i];
	return !h->has_sum || !S_ISREG(h->mode) || sum == h->sum;
}

static int show_entry(const struct scan *scan, struct header *h, const char *name,
		      const uint8_t *content, struct err *e)
{
	h->entry.name = name;
	h->entry.mode = h->mode;
	h->entry.content = content;
	h->entry.size = h->size;
	return scan->visit ? scan->visit(&h->entry, scan->context, e) : 0;
}

/* One archive from its first header to its trailer: *at is moved behind it. */
static int scan_archive(struct scan *scan, const struct stretch *s, struct cpio_segment *segment,
			size_t *at, struct err *e)
{
	const char *name = "";

	while (strcmp(name, "TRAILER!!!") != 0) {
		struct header h;
		const char *wrong = read_header(s->bytes + *at, s->size - *at, &h);
		size_t content, end;
		int r;

		if (wrong)
			return refuse_in(s, *at, wrong, e);
		name = (const char *)s->bytes + *at + HEADER_SIZE;
		content = round_up(*at + HEADER_SIZE + h.name_size);
		end = content + h.size;
		if (content > s->size || end > s->size)
			return refuse_in(s, *at, "a cpio entry is cut short", e);
		if (name[h.name_size - 1])
			return refuse_in(s, *at, "a cpio name without an end", e);
		if (!sum_is_right(&h, s->bytes + content))
			return refuse_in(s, *at, "a cpio entry with another checksum", e);
		*at = round_up(end) < s->size ? round_up(end) : s->size;
		if (!strcmp(name, "TRAILER!!!"))
			break;
		segment->entries++;
		segment->content_bytes += h.size;
		note_entry(&scan->facts, name, s->bytes + content, h.size);
		r = show_entry(scan, &h, name, s->bytes + content, e);
		if (r)
			return r;
	}
	return 0;
}

static int new_segment(struct scan *scan, enum compression compression, uint64_t offset,
		       struct cpio_segment **ret, struct err *e)
{
	struct cpio_facts *facts = &scan->facts;

	if (facts->count == CPIO_SEGMENTS_MAX)
		return refuse_limit(e, "more than %d cpio archives", CPIO_SEGMENTS_MAX);
	*ret = &facts->segments[facts->count++];
	**ret = (struct cpio_segment){ .compression = compression, .offset = offset };
	return 0;
}

/* Archives one after another that are not packed, with zeroes between them, from *at on. */
static int scan_plain(struct scan *scan, const struct stretch *s, size_t *at, struct err *e)
{
	bool packed = s->compression != COMPRESSION_NONE, behind = false;

	while (*at < s->size) {
		struct cpio_segment *segment;
		int r;

		if (!s->bytes[*at]) {
			++*at;
			continue;
		}
		if (*at % CPIO_ALIGNMENT && (behind || s->bytes[*at] == '0'))
			return refuse_in(s, *at,
					 "what begins here does not begin at a multiple of 4: the "
					 "kernel stops; put zeroes in front of it",
					 e);
		if (s->bytes[*at] != '0')
			break;
		r = new_segment(scan, s->compression, packed ? s->offset : s->offset + *at,
				&segment, e);
		if (!r)
			r = scan_archive(scan, s, segment, at, e);
		if (r)
			return r;
		behind = true;
	}
	return 0;
}

/* NULL, or why the kernel does not unpack what begins here. */
static const char *refuse_packed(enum compression c, const uint8_t *bytes, size_t size)
{
	static const struct {
		const char *magic, *why;
	} unread[] = {
		{ "BZh", "a bzip2 archive, which is not read here" },
		{ "\x5d", "an lzma archive, which is not read here" },
		{ "\x89LZO", "an LZO archive, which is not read here" },
		{ "#BOOTCONFIG\n", "a boot configuration, which is not read here" },
	};

	if (c == COMPRESSION_LZ4)
		return "LZ4 in frames, which the kernel does not unpack (lz4 -l makes the other)";
	/* Stream flags, second byte: the kernel has CRC32 alone (lib/xz/xz_dec_stream.c). */
	if (c == COMPRESSION_XZ && size > 7 && bytes[7] > 1)
		return "xz with another check than CRC32, which the kernel does not unpack "
		       "(xz --check=crc32)";
	if (c != COMPRESSION_NONE)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(unread); i++)
		if (size >= strlen(unread[i].magic) &&
		    !memcmp(bytes, unread[i].magic, strlen(unread[i].magic)))
			return unread[i].why;
	return "neither cpio nor anything packed, so the kernel stops";
}

/* Whatever is packed may be something else than an initramfs, if it is the first thing. */
static int no_initramfs(const struct scan *scan, const struct buffer *plain, int r)
{
	bool cpio = plain->size >= 5 && !memcmp(plain->bytes, "07070", 5);

	return r && !scan->facts.count && !cpio ? -ENODATA : r;
}

static int scan_packed(struct scan *scan, size_t *at, struct err *e)
{
	const uint8_t *bytes = scan->file + *at;
	size_t size = scan->size - *at, used = 0, end = 0;
	enum compression c = compression_of(bytes, size);
	const char *wrong = refuse_packed(c, bytes, size);
	struct buffer plain auto_buffer = { .bytes = NULL };
	struct stretch s = { .compression = c, .offset = *at };
	int r = 0;

	if (c != COMPRESSION_NONE)
		r = unpack_memory(c, bytes, size, CPIO_PLAIN_MAX, &plain, &used, e);
	r = err_prefix(e, r, "byte %zu: ", *at);
	if (!r && wrong)
		r = refuse_at(*at, wrong, e);
	s.bytes = plain.bytes;
	s.size = plain.size;
	if (!r)
		r = scan_plain(scan, &s, &end, e);
	if (!r && end < plain.size)
		r = refuse_in(&s, end, "something else than cpio", e);
	*at += used;
	return no_initramfs(scan, &plain, r);
}

/* Ours ends with its mark. */
static int check_marks(const struct cpio_facts *facts, struct err *e)
{
	if (!facts->begun[0] || !strcmp(facts->begun, facts->complete))
		return 0;
	return refuse(e, "it was cut: its last entry, " MARK_COMPLETE ", is missing or another's");
}

int cpio_scan_entries(const uint8_t *bytes, size_t size,
		      int (*visit)(const struct cpio_entry *entry, void *context, struct err *e),
		      void *context, struct cpio_facts *ret, struct err *e)
{
	struct scan scan = { .file = bytes, .size = size, .visit = visit, .context = context };
	struct stretch whole = { .bytes = bytes, .size = size };
	size_t at = 0;
	int r = 0;

	while (!r && at < size) {
		r = scan_plain(&scan, &whole, &at, e);
		if (!r && at < size)
			r = scan_packed(&scan, &at, e);
	}
	if (!r && !scan.facts.count) {
		(void)refuse(e, "no cpio archive");
		r = -ENODATA;
	}
	if (!r)
		r = check_marks(&scan.facts, e);
	if (!r)
		*ret = scan.facts;
	return r;
}

int cpio_scan(const uint8_t *bytes, size_t size, struct cpio_facts *ret, struct err *e)
{
	return cpio_scan_entries(bytes, size, NULL, NULL, ret, e);
}
