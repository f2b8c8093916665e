// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/tree/tar_sparse.h"

#include <string.h>

#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/tree/tar_header.h"

#define NUMBER_SIZE     12
#define PIECE_SIZE      (2 * NUMBER_SIZE)
#define HEADER_MAP      386 /* where an old GNU header has its pieces */
#define HEADER_COUNT    4
#define HEADER_REALSIZE 483 /* and the size with the holes */
#define BLOCK_COUNT     21

static int add(struct sparse_map *m, int64_t offset, int64_t size, struct err *e)
{
	if (m->count == SPARSE_PIECES_MAX)
		return refuse_limit(e, "a sparse file of more than %d pieces", SPARSE_PIECES_MAX);
	m->pieces = memory_grow(m->pieces, m->count, &m->room, sizeof(*m->pieces));
	m->pieces[m->count++] = (struct sparse_piece){ offset, size };
	return 0;
}

static int add_fields(struct sparse_map *m, const uint8_t *at, size_t count, struct err *e)
{
	bool goes_on = at[count * PIECE_SIZE] != 0;

	for (size_t i = 0; i < count && at[0]; i++, at += PIECE_SIZE) {
		int64_t offset, size;
		int r;

		if (!tar_number(at, NUMBER_SIZE, &offset) ||
		    !tar_number(at + NUMBER_SIZE, NUMBER_SIZE, &size))
			return refuse(e, "its sparse map has an invalid number");
		r = add(m, offset, size, e);
		if (r)
			return r;
	}
	return goes_on;
}

static int add_header(struct sparse_map *m, const uint8_t *block, struct err *e)
{
	return add_fields(m, block + HEADER_MAP, HEADER_COUNT, e);
}

static int add_continuation(struct sparse_map *m, const uint8_t *block, struct err *e)
{
	return add_fields(m, block, BLOCK_COUNT, e);
}

static bool is(const struct pax_record *r, const char *value)
{
	return r && r->size == strlen(value) && !memcmp(r->value, value, r->size);
}

static bool has_sparse_key(const struct pax *p)
{
	for (size_t i = 0; i < p->count; i++)
		if (!strncmp(p->records[i].key, "GNU.sparse.", strlen("GNU.sparse.")))
			return true;
	return p->pair_count != 0;
}

int sparse_form(const struct pax *p, enum sparse_form *ret, struct err *e)
{
	const struct pax_record *major = pax_find(p, "GNU.sparse.major");
	const struct pax_record *minor = pax_find(p, "GNU.sparse.minor");

	*ret = SPARSE_NONE;
	if (is(major, "1") && is(minor, "0"))
		*ret = SPARSE_IN_DATA;
	else if (is(major, "0") && (is(minor, "0") || is(minor, "1")))
		*ret = SPARSE_IN_PAX;
	else if (!major && !minor && (p->pair_count || pax_find(p, "GNU.sparse.map")))
		*ret = SPARSE_IN_PAX;
	else if (has_sparse_key(p))
		/* Others take it for a plain file, or believe some of the keys. */
		return refuse(e, "GNU.sparse keys that are none of the versions 0.0, 0.1 and 1.0");
	return 0;
}

static int add_pairs(struct sparse_map *m, const struct pax *p, struct err *e)
{
	for (size_t i = 0; i + 1 < p->pair_count; i += 2) {
		const struct pax_record *offset = &p->pairs[i], *size = &p->pairs[i + 1];
		struct sparse_piece piece;
		int r;

		if (!pax_number(offset->value, offset->size, &piece.offset) ||
		    !pax_number(size->value, size->size, &piece.size))
			return refuse(e, "its sparse map has an invalid number");
		r = add(m, piece.offset, piece.size, e);
		if (r)
			return r;
	}
	return p->pair_count % 2 ? refuse(e, "its sparse map ends with half a piece") : 0;
}

/* "offset,size,offset,size…" */
static int add_list(struct sparse_map *m, const struct pax_record *list, struct err *e)
{
	const char *at = list->value, *end = at + list->size;
	int64_t numbers[2];
	size_t count = 0;

	for (;; at++) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		const char *stop = comma ? comma : end;
		int r = 0;

		if (!pax_number(at, (size_t)(stop - at), &numbers[count++ % 2]))
			return refuse(e, "its sparse map has an invalid number");
		if (count % 2 == 0)
			r = add(m, numbers[0], numbers[1], e);
		if (r)
			return r;
		if (!comma)
			break;
		at = comma;
	}
	return count % 2 ? refuse(e, "its sparse map ends with half a piece") : 0;
}

int sparse_add_pax(struct sparse_map *m, const struct pax *p, struct err *e)
{
	const struct pax_record *said = pax_find(p, "GNU.sparse.numblocks");
	const struct pax_record *list = pax_find(p, "GNU.sparse.map");
	int64_t count;
	int r = 0;

	if (p->pair_count)
		r = add_pairs(m, p, e);
	else if (list)
		r = add_list(m, list, e);
	if (r)
		return r;
	if (!said || !pax_number(said->value, said->size, &count) || count != (int64_t)m->count)
		return refuse(e, "its sparse map has another number of pieces than it says");
	return 0;
}

int sparse_read_old(struct sparse_map *m, struct tar_input *in, const uint8_t *header,
		    int64_t *ret_size, struct err *e)
{
	uint8_t block[TAR_BLOCK];
	int r;

	if (!tar_number(header + HEADER_REALSIZE, NUMBER_SIZE, ret_size))
		return refuse(e, "the size of a sparse file is not a number");
	r = add_header(m, header, e);
	while (r == 1) {
		r = tar_input_take_all(in, block, TAR_BLOCK, "a sparse map", e);
		if (!r)
			r = add_continuation(m, block, e);
	}
	return r;
}

/* Numbers in lines, in the first blocks of the file's data. */
struct lines {
	struct tar_input *in;
	uint64_t *left; /* of that data, bytes */
	char block[TAR_BLOCK];
	size_t at;
};

static int next_number(struct lines *l, int64_t *ret, struct err *e)
{
	char text[24];

	for (size_t used = 0; used < sizeof(text); used++) {
		if (l->at == TAR_BLOCK) {
			int r = *l->left < TAR_BLOCK ?
					refuse(e, "its sparse map leaves its data") :
					tar_input_take_all(l->in, l->block, TAR_BLOCK,
							   "a sparse map", e);

			if (r)
				return r;
			*l->left -= TAR_BLOCK;
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

int sparse_read_lines(struct sparse_map *m, struct tar_input *in, uint64_t *data_left,
		      struct err *e)
{
	struct lines l = { .in = in, .left = data_left, .at = TAR_BLOCK };
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
			r = add(m, offset, size, e);
	}
	return r;
}

int sparse_check(const struct sparse_map *m, int64_t file_size, int64_t stored, struct err *e)
{
	int64_t end = 0, total = 0;

	if (file_size < 0)
		return refuse(e, "a sparse file of %lld bytes", (long long)file_size);
	for (size_t i = 0; i < m->count; i++) {
		const struct sparse_piece *piece = &m->pieces[i];

		/* Ascending inside of the file, so no sum of them overflows. */
		if (piece->size < 0 || piece->offset < end || piece->offset > file_size ||
		    piece->size > file_size - piece->offset)
			return refuse(e, "its sparse map is not in order or leaves its size");
		end = piece->offset + piece->size;
		total += piece->size;
	}
	if (total != stored)
		return refuse(e, "its sparse map has %lld bytes of data, the tar %lld",
			      (long long)total, (long long)stored);
	return 0;
}
