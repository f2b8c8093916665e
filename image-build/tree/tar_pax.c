// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/tree/tar_pax.h"

#include <stdlib.h>
#include <string.h>

#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "lib/array.h"

#define NSEC_DIGITS 9
#define NSEC_PER_S  1000000000u

bool pax_number(const char *text, size_t size, int64_t *ret)
{
	bool negative = size && text[0] == '-';
	int64_t value = 0;

	if (size == negative)
		return false;
	for (size_t i = negative; i < size; i++) {
		int digit = text[i] - '0';

		if (digit < 0 || digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_sub_overflow(value, digit, &value))
			return false;
	}
	/* Counted downwards: there is one more number below zero than above. */
	if (!negative && value == INT64_MIN)
		return false;
	*ret = negative ? value : -value;
	return true;
}

bool pax_time(const struct pax_record *record, int64_t *ret_sec, uint32_t *ret_nsec)
{
	const char *point = memchr(record->value, '.', record->size);
	size_t whole = point ? (size_t)(point - record->value) : record->size;
	uint32_t nsec = 0;
	int64_t sec;

	if (!pax_number(record->value, whole, &sec))
		return false;
	for (size_t i = 0; whole + 1 + i < record->size || i < NSEC_DIGITS; i++) {
		char digit = whole + 1 + i < record->size ? record->value[whole + 1 + i] : '0';

		if (digit < '0' || digit > '9')
			return false;
		if (i < NSEC_DIGITS)
			nsec = nsec * 10 + (uint32_t)(digit - '0');
	}
	if (nsec && record->value[0] == '-') {
		if (__builtin_sub_overflow(sec, 1, &sec))
			return false;
		nsec = NSEC_PER_S - nsec;
	}
	*ret_sec = sec;
	*ret_nsec = nsec;
	return true;
}

static bool has_nul(const char *text, size_t size)
{
	return memchr(text, '\0', size) != NULL;
}

static int check_record(const struct pax_record *r, size_t key_size, struct err *e)
{
	static const char *const texts[] = { "path", "linkpath", "uname", "gname" };

	if (!key_size || has_nul(r->key, key_size))
		return refuse(e, "a pax record without a key, or with a NUL in it");
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (!strcmp(r->key, texts[i]) && has_nul(r->value, r->size))
			return refuse(e, "a NUL in the pax record \"%s\"", r->key);
	return 0;
}

/* Of the sparse map's numbers the order counts. */
static int add_pair(struct pax *p, const struct pax_record *r, struct err *e)
{
	static const char *const keys[] = { "GNU.sparse.offset", "GNU.sparse.numbytes" };

	if (strcmp(r->key, keys[p->pair_count % 2]))
		return refuse(e, "\"%s\" in place of \"%s\"", r->key, keys[p->pair_count % 2]);
	p->pairs = memory_grow(p->pairs, p->pair_count, &p->pair_room, sizeof(*p->pairs));
	p->pairs[p->pair_count++] = *r;
	return 0;
}

static int add_record(struct pax *p, const struct pax_record *r, struct err *e)
{
	if (!strcmp(r->key, "GNU.sparse.offset") || !strcmp(r->key, "GNU.sparse.numbytes"))
		return add_pair(p, r, e);
	p->records = memory_grow(p->records, p->count, &p->room, sizeof(*p->records));
	p->records[p->count++] = *r;
	return 0;
}

/* Cut the first record off; its '=' and its line end become NULs. */
static int take_record(struct pax *p, char **text, char *end, struct err *e)
{
	char *blank = memchr(*text, ' ', (size_t)(end - *text)), *key, *equals, *stop;
	struct pax_record r;
	int64_t length;
	int bad;

	if (!blank || !pax_number(*text, (size_t)(blank - *text), &length) ||
	    length <= blank + 1 - *text || length > end - *text || (*text)[length - 1] != '\n')
		return refuse(e, "a pax record whose length is wrong");
	key = blank + 1;
	stop = *text + length - 1;
	equals = memchr(key, '=', (size_t)(stop - key));
	if (!equals)
		return refuse(e, "a pax record without \"=\"");
	*equals = *stop = '\0';
	r = (struct pax_record){ key, equals + 1, (size_t)(stop - equals - 1) };
	bad = check_record(&r, (size_t)(equals - key), e);
	*text = stop + 1;
	return bad ? bad : add_record(p, &r, e);
}

static int by_key_and_place(const void *a, const void *b)
{
	const struct pax_record *x = a, *y = b;
	int order = strcmp(x->key, y->key);

	return order ? order : (x->value > y->value) - (x->value < y->value);
}

int pax_parse(struct pax *p, char *text, size_t size, struct err *e)
{
	char *at = text, *end = text + size;
	size_t kept = 0;

	*p = (struct pax){ .text = text };
	while (at < end) {
		int r = take_record(p, &at, end, e);

		if (r)
			return r;
	}
	if (p->count)
		qsort(p->records, p->count, sizeof(*p->records), by_key_and_place);
	for (size_t i = 0; i < p->count; i++)
		if (i + 1 == p->count || strcmp(p->records[i].key, p->records[i + 1].key))
			p->records[kept++] = p->records[i];
	p->count = kept;
	return 0;
}

void pax_free(struct pax *p)
{
	free(p->text);
	free(p->records);
	free(p->pairs);
	*p = (struct pax){ .text = NULL };
}

static int key_of(const void *key, const void *record)
{
	return strcmp(key, ((const struct pax_record *)record)->key);
}

const struct pax_record *pax_find(const struct pax *p, const char *key)
{
	const struct pax_record *r =
		p->count ? bsearch(key, p->records, p->count, sizeof(*p->records), key_of) : NULL;

	return r && r->size ? r : NULL;
}
