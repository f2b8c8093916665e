// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/tree/tar_read.h"

#include <stdlib.h>
#include <string.h>

#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "lib/array.h"

#define REALSIZE      483 /* where an old GNU header has the size with the holes */
#define REALSIZE_SIZE 12

void tar_open(struct tar_reader *t, struct blob *b)
{
	*t = (struct tar_reader){ .blob = b };
}

/* What was said of one entry says nothing of the next. */
static void forget_description(struct tar_reader *t)
{
	pax_free(&t->pax);
	free(t->long_name);
	free(t->long_link);
	t->long_name = t->long_link = NULL;
	t->described = false;
}

void tar_close(struct tar_reader *t)
{
	forget_description(t);
	free(t->map.pieces);
	t->map = (struct sparse_map){ .pieces = NULL };
}

/* Have something in the chunk: 1, 0 at the end of the blob, or -errno. */
static int fill(struct tar_reader *t, struct err *e)
{
	const void *bytes;
	ssize_t n;

	if (t->left)
		return 1;
	n = blob_read(t->blob, &bytes, e);
	if (n < 0)
		return (int)n;
	t->chunk = bytes;
	t->left = (size_t)n;
	return n > 0;
}

static void consume(struct tar_reader *t, size_t size)
{
	t->chunk += size;
	t->left -= size;
	t->position += size;
}

/* Up to size bytes, to nowhere where to is NULL; *ret is fewer at the end alone. */
static int take(struct tar_reader *t, void *to, uint64_t size, uint64_t *ret, struct err *e)
{
	uint64_t done = 0;
	int r = 1;

	while (done < size && (r = fill(t, e)) > 0) {
		size_t n = t->left < size - done ? t->left : (size_t)(size - done);

		if (to)
			memcpy((char *)to + done, t->chunk, n);
		consume(t, n);
		done += n;
	}
	*ret = done;
	return r < 0 ? r : 0;
}

static int cut_short(const struct tar_reader *t, const char *where, struct err *e)
{
	return refuse(e, "the tar is cut short in %s, at byte %llu", where,
		      (unsigned long long)t->position);
}

static int take_all(struct tar_reader *t, void *to, uint64_t size, const char *where, struct err *e)
{
	uint64_t got;
	int r = take(t, to, size, &got, e);

	return r ? r : got < size ? cut_short(t, where, e) : 0;
}

static int skip_rest(struct tar_reader *t, struct err *e)
{
	uint64_t got;
	int r = take_all(t, NULL, t->data_left, "a file", e);

	t->data_left = 0;
	if (!r)
		r = take(t, NULL, t->padding, &got, e);
	t->padding = 0;
	return r;
}

/* After the end of the tar nothing is read by anyone, so nothing may be there. */
static int read_tail(struct tar_reader *t, struct err *e)
{
	uint64_t end = t->position;
	int r;

	if (t->described)
		return refuse(e, "it ends before the entry that a pax header or a long name "
				 "describes");
	while ((r = fill(t, e)) > 0)
		consume(t, t->left);
	if (!r && t->blob->plain_end > end)
		r = refuse(e, "bytes that are not zero follow the end of its tar at byte %llu",
			   (unsigned long long)end);
	return r;
}

/* 1, or 0 at the end of the tar. */
static int read_header(struct tar_reader *t, uint8_t block[TAR_BLOCK], struct err *e)
{
	uint64_t at = t->position, got;
	int r = take(t, block, TAR_BLOCK, &got, e);

	if (r)
		return r;
	if (got && got < TAR_BLOCK)
		return cut_short(t, "a header", e);
	if (!got || tar_block_is_zero(block))
		return read_tail(t, e);
	r = tar_header_parse(block, &t->header, e);
	return r ? err_prefix(e, r, "damaged tar at byte %llu: ", (unsigned long long)at) : 1;
}

static void expect_data(struct tar_reader *t, int64_t size)
{
	t->data_left = (uint64_t)size;
	t->padding = (size_t)(-(uint64_t)size % TAR_BLOCK);
}

/* The data of an entry that is about another: allocated, with a NUL behind it. */
static int read_special(struct tar_reader *t, char **ret, struct err *e)
{
	int64_t size = t->header.size;
	char *text;
	int r;

	if (size < 0 || size > TAR_SPECIAL_MAX)
		return refuse_limit(e, "a pax header or long name of %lld bytes, at most %d",
				    (long long)size, TAR_SPECIAL_MAX);
	text = memory_zero(1, (size_t)size + 1);
	expect_data(t, size);
	r = take_all(t, text, (uint64_t)size, "a pax header or long name", e);
	t->data_left = 0;
	if (r)
		free(text);
	else
		*ret = text;
	return r;
}

static int read_pax(struct tar_reader *t, struct err *e)
{
	char *text;
	int r = read_special(t, &text, e);

	if (r)
		return r;
	pax_free(&t->pax);
	return pax_parse(&t->pax, text, (size_t)t->header.size, e);
}

static int read_long(struct tar_reader *t, char **name, struct err *e)
{
	char *text;
	int r = read_special(t, &text, e);

	if (r)
		return r;
	free(*name);
	*name = text;
	return 0;
}

/* What describes the next entry: 1 where this was such, 0 where it is an entry, or -errno. */
static int read_description(struct tar_reader *t, struct err *e)
{
	int r;

	switch (t->header.type) {
	case 'x':
		r = read_pax(t, e);
		break;
	case 'L':
		r = read_long(t, &t->long_name, e);
		break;
	case 'K':
		r = read_long(t, &t->long_link, e);
		break;
	default:
		return 0;
	}
	t->described = true;
	return r ? r : 1;
}

static int apply_numbers(const struct pax *p, struct tar_entry *entry, int64_t *size, struct err *e)
{
	const struct {
		const char *key;
		int64_t *value;
	} numbers[] = { { "uid", &entry->uid }, { "gid", &entry->gid }, { "size", size } };
	static const char *const times[] = { "atime", "ctime", "mtime" };
	int64_t sec = entry->mtime_sec;
	uint32_t nsec = 0;

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		const struct pax_record *r = pax_find(p, numbers[i].key);

		if (r && !pax_number(r->value, r->size, numbers[i].value))
			return refuse(e, "pax \"%s\" is \"%.40s\", which is not a number", r->key,
				      r->value);
	}
	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		const struct pax_record *r = pax_find(p, times[i]);

		if (r && !pax_time(r, &sec, &nsec))
			return refuse(e, "pax \"%s\" is \"%.40s\", which is not a time", r->key,
				      r->value);
	}
	/* The last one read is mtime, where there is one. */
	if (pax_find(p, "mtime")) {
		entry->mtime_sec = sec;
		entry->mtime_nsec = nsec;
	}
	return 0;
}

static void apply_names(const struct tar_reader *t, struct tar_entry *entry)
{
	const struct pax_record *path = pax_find(&t->pax, "path");
	const struct pax_record *link = pax_find(&t->pax, "linkpath");

	if (path)
		entry->name = path->value;
	if (link)
		entry->link = link->value;
	if (t->long_name && *t->long_name)
		entry->name = t->long_name;
	if (t->long_link && *t->long_link)
		entry->link = t->long_link;
}

static char plain_type(char type, const char *name)
{
	size_t size = strlen(name);

	switch (type) {
	case '\0':
		return size && name[size - 1] == '/' ? '5' : '0';
	case '7': /* "contiguous", which is only about where on the disk it lies */
		return '0';
	default:
		return type;
	}
}

static bool has_data(char type)
{
	return type < '1' || type > '6';
}

static int read_old_map(struct tar_reader *t, const uint8_t *header, int64_t *ret_size,
			struct err *e)
{
	uint8_t block[TAR_BLOCK];
	int r;

	if (t->header.dialect != TAR_GNU)
		return refuse(e, "a sparse file (type S) whose header is not GNU's");
	if (!tar_number(header + REALSIZE, REALSIZE_SIZE, ret_size))
		return refuse(e, "the size of a sparse file is not a number");
	r = sparse_add_header(&t->map, header, e);
	while (r == 1) {
		r = take_all(t, block, TAR_BLOCK, "a sparse map", e);
		if (!r)
			r = sparse_add_continuation(&t->map, block, e);
	}
	return r;
}

/* Numbers in lines, in the first blocks of the file's data. */
struct lines {
	struct tar_reader *reader;
	char block[TAR_BLOCK];
	size_t at;
};

static int next_number(struct lines *l, int64_t *ret, struct err *e)
{
	char text[24];

	for (size_t used = 0; used < sizeof(text); used++) {
		if (l->at == TAR_BLOCK) {
			int r = l->reader->data_left < TAR_BLOCK ?
					refuse(e, "its sparse map leaves its data") :
					take_all(l->reader, l->block, TAR_BLOCK, "a sparse map", e);

			if (r)
				return r;
			l->reader->data_left -= TAR_BLOCK;
			l->at = 0;
		}
		text[used] = l->block[l->at++];
		if (text[used] == '\n' && pax_number(text, used, ret))
			return 0;
		if (text[used] == '\n')
			break;
	}
	return refuse(e, "its sparse map has an invalid number");
}

static int read_map_in_data(struct tar_reader *t, struct err *e)
{
	struct lines l = { .reader = t, .at = TAR_BLOCK };
	int64_t count = 0;
	int r = next_number(&l, &count, e);

	if (!r && (count < 0 || count > SPARSE_PIECES_MAX))
		r = refuse_limit(e, "a sparse file of %lld pieces, at most %d", (long long)count,
				 SPARSE_PIECES_MAX);
	for (int64_t i = 0; !r && i < count; i++) {
		int64_t offset = 0, size = 0;

		r = next_number(&l, &offset, e);
		if (!r)
			r = next_number(&l, &size, e);
		if (!r)
			r = sparse_add(&t->map, offset, size, e);
	}
	return r;
}

/* The name and the size that a sparse file's pax header gives over all else. */
static int apply_sparse_keys(const struct pax *p, struct tar_entry *entry, int64_t *size,
			     struct err *e)
{
	const struct pax_record *name = pax_find(p, "GNU.sparse.name");
	const struct pax_record *real = pax_find(p, "GNU.sparse.size");

	if (!real)
		real = pax_find(p, "GNU.sparse.realsize");
	if (real && !pax_number(real->value, real->size, size))
		return refuse(e, "pax \"%s\" is \"%.40s\", which is not a number", real->key,
			      real->value);
	if (name && memchr(name->value, '\0', name->size))
		return refuse(e, "a NUL in the pax record \"%s\"", name->key);
	if (name)
		entry->name = name->value;
	return 0;
}

static int read_map(struct tar_reader *t, const uint8_t *header, struct tar_entry *entry,
		    int64_t *size, struct err *e)
{
	enum sparse_form form;
	int r = 0;

	t->sparse = t->header.type == 'S';
	if (t->sparse) {
		entry->type = '0';
		return read_old_map(t, header, size, e);
	}
	r = sparse_form(&t->pax, &form, e);
	if (r || form == SPARSE_NONE)
		return r;
	t->sparse = true;
	if (!has_data(entry->type))
		return refuse(e, "a sparse file's pax header before an entry that is not a file");
	r = apply_sparse_keys(&t->pax, entry, size, e);
	if (!r)
		r = form == SPARSE_IN_PAX ? sparse_add_pax(&t->map, &t->pax, e) :
					    read_map_in_data(t, e);
	return r;
}

static int describe(struct tar_reader *t, const uint8_t *block, struct tar_entry *entry,
		    struct err *e)
{
	const struct tar_header *h = &t->header;
	int64_t size = h->size;
	int r;

	*entry = (struct tar_entry){
		.name = h->name,
		.link = h->link,
		.mode = h->mode,
		.uid = h->uid,
		.gid = h->gid,
		.mtime_sec = h->mtime,
		.device_major = h->device_major,
		.device_minor = h->device_minor,
		.pax = &t->pax,
	};
	if (size < 0 && has_data(h->type))
		return refuse(e, "a file of %lld bytes", (long long)size);
	r = apply_numbers(&t->pax, entry, &size, e);
	if (r)
		return r;
	apply_names(t, entry);
	entry->type = plain_type(h->type, entry->name);
	if (!has_data(entry->type))
		size = 0;
	if (size < 0)
		return refuse(e, "a file of %lld bytes", (long long)size);
	expect_data(t, size);
	r = read_map(t, block, entry, &size, e);
	if (!r && t->sparse)
		r = sparse_check(&t->map, size, (int64_t)t->data_left, e);
	entry->size = (uint64_t)size;
	return r;
}

static int read_global(struct tar_reader *t, struct tar_entry *entry, struct err *e)
{
	int r;

	if (t->described)
		return refuse(e, "a global pax header between an entry and what describes it");
	r = read_pax(t, e);
	*entry = (struct tar_entry){ .type = 'g', .name = t->header.name, .pax = &t->pax };
	return r;
}

int tar_next(struct tar_reader *t, struct tar_entry *ret, struct err *e)
{
	uint8_t block[TAR_BLOCK];
	int r;

	forget_description(t);
	t->map.count = t->piece = 0;
	t->in_piece = 0;
	t->sparse = false;
	do {
		r = skip_rest(t, e);
		if (!r)
			r = read_header(t, block, e);
		if (r <= 0)
			return r;
		r = read_description(t, e);
	} while (r == 1);
	if (!r)
		r = t->header.type == 'g' ? read_global(t, ret, e) : describe(t, block, ret, e);
	return r ? err_prefix(e, r, "entry \"%.150s\": ", t->header.name) : 1;
}

int tar_data(struct tar_reader *t, const void **ret, size_t *ret_size, uint64_t *ret_offset,
	     struct err *e)
{
	uint64_t most = t->data_left, offset = t->in_piece;
	size_t size;
	int r;

	if (t->sparse) {
		while (t->piece < t->map.count &&
		       (uint64_t)t->map.pieces[t->piece].size == t->in_piece) {
			t->piece++;
			t->in_piece = 0;
		}
		if (t->piece == t->map.count)
			return 0;
		most = (uint64_t)t->map.pieces[t->piece].size - t->in_piece;
		offset = (uint64_t)t->map.pieces[t->piece].offset + t->in_piece;
	}
	if (!most)
		return 0;
	r = fill(t, e);
	if (r <= 0)
		return r ? r : cut_short(t, "a file", e);
	size = t->left < most ? t->left : (size_t)most;
	*ret = t->chunk;
	*ret_size = size;
	*ret_offset = offset;
	consume(t, size);
	t->in_piece += size;
	t->data_left -= size;
	return 1;
}
