// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/describe/kata_verity.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/array.h"

#define BLOCKNUM_MAX UINT32_MAX

/* What its members are called in our own words. Where the tree is, is read on its own. */
static const struct verity_member {
	const char *name;
	const char *key;
	enum { TEXT, LOWER_CASE, NUMBER } type;
	bool required;
	uint64_t max;
} verity_members[] = {
	{ "hashtype", "hash", LOWER_CASE, true, 0 },
	{ "hash", "root_hash", TEXT, true, 0 },
	{ "blocknum", "data_blocks", NUMBER, true, BLOCKNUM_MAX },
	{ "blocksize", "data_block_size", NUMBER, true, UINT64_MAX },
	{ "hashsize", "hash_block_size", NUMBER, true, UINT64_MAX },
	/* Of Kata's alone. */
	{ "hash_type", "format", NUMBER, false, UINT64_MAX },
	{ "salt", "salt", TEXT, false, 0 },
};

#define VALUE_SIZE 640 /* of a salt's digits, and of what is too long for one */

static int missing(const struct verity_member *m, struct err *e)
{
	return err_set(e,
		       !strcmp(m->key, "root_hash") ? FAIL_ROOT_HASH_MISSING :
						      FAIL_VERITY_PARAMS_INVALID,
		       EINVAL, "\"%s\" is missing", m->name);
}

/* Kata's runtime has the hash in any case, and the kernel does not. */
static void lower(char *text)
{
	for (; *text; text++)
		*text = (char)tolower((unsigned char)*text);
}

static int read_text(struct json_object *o, const struct verity_member *m, char value[VALUE_SIZE],
		     bool *given, struct err *e)
{
	const char *text;
	int r = hostile_string(o, m->name, false, &text, e);

	if (r)
		return r;
	*given = text;
	if (!text)
		return 0;
	if (strlen(text) >= VALUE_SIZE)
		return err_set(e, FAIL_DESCRIPTION_INVALID, EINVAL, "\"%s\" has %zu characters",
			       m->name, strlen(text));
	strcpy(value, text);
	if (m->type == LOWER_CASE)
		lower(value);
	return 0;
}

static int read_number(struct json_object *o, const struct verity_member *m, char value[VALUE_SIZE],
		       bool *given, struct err *e)
{
	uint64_t number = 0;
	int r = hostile_number(o, m->name, false, m->max, &number, given, e);

	snprintf(value, VALUE_SIZE, "%llu", (unsigned long long)number);
	return r;
}

static int read_verity_member(struct json_object *o, const struct verity_member *m,
			      struct verity_params *p, struct err *e)
{
	char value[VALUE_SIZE];
	bool given = false;
	int r = m->type == NUMBER ? read_number(o, m, value, &given, e) :
				    read_text(o, m, value, &given, e);

	if (r)
		return r;
	if (!given)
		return m->required ? missing(m, e) : 0;
	return err_prefix(e, verity_params_set(p, m->key, value, e), "\"%s\": ", m->name);
}

/*
 * offset is where the tree begins, or the superblock in front of it. nydus writes no
 * superblock and does not say so; what Kata writes itself always says which. So one is
 * there only where that is said: Kata's default for the member would be one.
 */
static int read_offset(struct json_object *o, struct verity_params *p, struct err *e)
{
	bool no_superblock = true, given = false;
	uint64_t offset = 0;
	int r = hostile_number(o, "offset", false, INT64_MAX, &offset, &given, e);

	if (!r)
		r = hostile_bool(o, "no_superblock", &no_superblock, NULL, e);
	if (r)
		return r;
	if (!given)
		return err_set(e, FAIL_VERITY_PARAMS_INVALID, EINVAL, "\"offset\" is missing");
	if (offset % p->hash_block_size)
		return err_set(e, FAIL_VERITY_PARAMS_INVALID, EINVAL,
			       "\"offset\" %llu is not a whole number of hash blocks of %u bytes",
			       (unsigned long long)offset, p->hash_block_size);
	/* Neither of them is so large that this overflows. */
	if (offset < p->data_blocks * p->data_block_size)
		return err_set(e, FAIL_VERITY_PARAMS_INVALID, EINVAL,
			       "\"offset\" %llu is inside the data", (unsigned long long)offset);
	p->hash_start_given = true;
	p->hash_start_block = offset / p->hash_block_size;
	return no_superblock ? 0 :
			       verity_hash_start(offset, p->hash_block_size, &p->hash_start_block);
}

int kata_verity_read(struct json_object *o, struct verity_params *p, struct err *e)
{
	int r = 0;

	for (size_t i = 0; !r && i < ARRAY_SIZE(verity_members); i++)
		r = read_verity_member(o, &verity_members[i], p, e);
	return r ? r : read_offset(o, p, e);
}
