// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/tree/tar_read.h"

#include <stdlib.h>

#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"

void tar_open(struct tar_reader *t, struct blob *b)
{
	*t = (struct tar_reader){ .in.blob = b };
}

/* What was said of one entry says nothing of the next. */
static void forget_description(struct tar_reader *t)
{
	pax_free(&t->before.pax);
	free(t->before.long_name);
	free(t->before.long_link);
	t->before.long_name = t->before.long_link = NULL;
	t->before.given = false;
}

void tar_close(struct tar_reader *t)
{
	forget_description(t);
	free(t->map.pieces);
	t->map = (struct sparse_map){ .pieces = NULL };
}

static int skip_rest(struct tar_reader *t, struct err *e)
{
	uint64_t got;
	int r = tar_input_take_all(&t->in, NULL, t->data_left, "a file", e);

	t->data_left = 0;
	if (!r)
		r = tar_input_take(&t->in, NULL, t->padding, &got, e);
	t->padding = 0;
	return r;
}

/* After the end of the tar nothing is read by anyone, so nothing may be there. */
static int read_tail(struct tar_reader *t, struct err *e)
{
	uint64_t end = t->in.position;
	int r;

	if (t->before.given)
		return refuse(e, "it ends before the entry that a pax header or a long name "
				 "describes");
	while ((r = tar_input_fill(&t->in, e)) > 0)
		tar_input_consume(&t->in, t->in.left);
	if (!r && t->in.blob->plain_end > end)
		r = refuse(e, "bytes that are not zero follow the end of its tar at byte %llu",
			   (unsigned long long)end);
	return r;
}

/* 1, or 0 at the end of the tar. */
static int read_header(struct tar_reader *t, uint8_t block[TAR_BLOCK], struct err *e)
{
	uint64_t at = t->in.position, got;
	int r = tar_input_take(&t->in, block, TAR_BLOCK, &got, e);

	if (r)
		return r;
	if (got && got < TAR_BLOCK)
		return tar_input_cut_short(&t->in, "a header", e);
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
	r = tar_input_take_all(&t->in, text, (uint64_t)size, "a pax header or long name", e);
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
	pax_free(&t->before.pax);
	return pax_parse(&t->before.pax, text, (size_t)t->header.size, e);
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
		r = read_long(t, &t->before.long_name, e);
		break;
	case 'K':
		r = read_long(t, &t->before.long_link, e);
		break;
	default:
		return 0;
	}
	t->before.given = true;
	return r ? r : 1;
}

static int read_map(struct tar_reader *t, const uint8_t *header, struct tar_entry *entry,
		    int64_t *size, struct err *e)
{
	enum sparse_form form;
	int r = 0;

	t->sparse = t->header.type == 'S';
	if (t->sparse) {
		entry->type = '0';
		if (t->header.dialect != TAR_GNU)
			return refuse(e, "a sparse file (type S) whose header is not GNU's");
		return sparse_read_old(&t->map, &t->in, header, size, e);
	}
	r = sparse_form(&t->before.pax, &form, e);
	if (r || form == SPARSE_NONE)
		return r;
	t->sparse = true;
	if (!tar_has_data(entry->type))
		return refuse(e, "a sparse file's pax header before an entry that is not a file");
	r = tar_entry_sparse(&t->before.pax, entry, size, e);
	if (!r)
		r = form == SPARSE_IN_PAX ? sparse_add_pax(&t->map, &t->before.pax, e) :
					    sparse_read_lines(&t->map, &t->in, &t->data_left, e);
	return r;
}

static int describe(struct tar_reader *t, const uint8_t *block, struct tar_entry *entry,
		    struct err *e)
{
	int64_t size;
	int r = tar_entry_describe(&t->header, &t->before, entry, &size, e);

	if (r)
		return r;
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

	if (t->before.given)
		return refuse(e, "a global pax header between an entry and what describes it");
	r = read_pax(t, e);
	*entry = (struct tar_entry){ .type = 'g', .name = t->header.name, .pax = &t->before.pax };
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
	r = tar_input_fill(&t->in, e);
	if (r <= 0)
		return r ? r : tar_input_cut_short(&t->in, "a file", e);
	size = t->in.left < most ? t->in.left : (size_t)most;
	*ret = t->in.chunk;
	*ret_size = size;
	*ret_offset = offset;
	tar_input_consume(&t->in, size);
	t->in_piece += size;
	t->data_left -= size;
	return 1;
}
