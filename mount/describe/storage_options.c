// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/describe/storage_options.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "lib/array.h"
#include "lib/text.h"

#define invalid(e, ...)    err_set(e, FAIL_DESCRIPTION_INVALID, EINVAL, __VA_ARGS__)
#define no_verity(e, ...)  err_set(e, FAIL_VERITY_PARAMS_INVALID, EINVAL, __VA_ARGS__)
#define is_repeated(e, of) err_set(e, FAIL_KEY_REPEATED, EINVAL, "%.80s is specified twice", of)

/* Options that say one thing by being there. */
static const struct {
	const char *option;
	size_t offset; /* of a bool in struct storage_options */
} flags[] = {
	{ "X-kata.multi-layer=true", offsetof(struct storage_options, multi_layer) },
	{ "X-kata.gpt-partitioned=true", offsetof(struct storage_options, gpt) },
	{ "X-kata.overlay-lower", offsetof(struct storage_options, lower) },
	{ "X-kata.overlay-upper", offsetof(struct storage_options, upper) },
	{ "X-kata.dmverity-enabled=true", offsetof(struct storage_options, verity) },
	{ "rw", offsetof(struct storage_options, writable) },
};

static const char *const verity_keys[STORAGE_VERITY_KEYS] = {
	[STORAGE_ROOTHASH] = "X-kata.dmverity.roothash=",
	[STORAGE_HASHOFFSET] = "X-kata.dmverity.hashoffset=",
	[STORAGE_NO_SUPERBLOCK] = "X-kata.dmverity.no-superblock=",
	[STORAGE_SALT] = "X-kata.dmverity.salt=",
	[STORAGE_BLOCKSIZE] = "X-kata.dmverity.blocksize=",
	[STORAGE_HASHSIZE] = "X-kata.dmverity.hashsize=",
	[STORAGE_ALGORITHM] = "X-kata.dmverity.algorithm=",
	[STORAGE_HASHTYPE] = "X-kata.dmverity.hashtype=",
};

static int set_once(const char **place, const char *value, const char *option, struct err *e)
{
	if (*place)
		return is_repeated(e, option);
	*place = value;
	return 0;
}

static int read_partition(const char *value, struct storage_options *o, struct err *e)
{
	uint64_t number;

	if (o->partition)
		return is_repeated(e, "X-kata.partition-number");
	if (parse_u64(value, STORAGE_PARTITION_MAX, &number) || !number)
		return invalid(e, "\"%.40s\" is not a partition from 1 to %d", value,
			       STORAGE_PARTITION_MAX);
	o->partition = (unsigned int)number;
	return 0;
}

/* 1: it is one of these; 0: not. */
static int read_flag(const char *option, struct storage_options *o, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		bool *flag = (void *)((char *)o + flags[i].offset);

		if (strcmp(option, flags[i].option))
			continue;
		if (*flag)
			return is_repeated(e, option);
		*flag = true;
		return 1;
	}
	return 0;
}

/* What the target's directories are to be called on a disk that is not used here. */
static bool is_ignored(const char *option)
{
	return !strcmp(option, "ro") || text_behind(option, "X-kata.mkdir.path=") ||
	       (text_behind(option, "X-containerd.") && !strstr(option, "verity"));
}

static int read_option(const char *option, struct storage_options *o, struct err *e)
{
	const char *value;
	int r = read_flag(option, o, e);

	if (r)
		return r < 0 ? r : 0;
	for (size_t i = 0; i < STORAGE_VERITY_KEYS; i++)
		if ((value = text_behind(option, verity_keys[i])))
			return set_once(&o->values[i], value, verity_keys[i], e);
	if ((value = text_behind(option, "X-kata.partition-number=")))
		return read_partition(value, o, e);
	if ((value = text_behind(option, "X-containerd.dmverity=")) && *value == '/')
		return set_once(&o->sidecar, value, "X-containerd.dmverity=", e);
	if (is_ignored(option))
		return 0;
	if (text_behind(option, "X-kata.dmverity"))
		return no_verity(e, "\"%.80s\" says nothing that Kata's agent would hear", option);
	if (text_behind(option, "io.katacontainers.fs-opt."))
		return err_set(e, FAIL_DESCRIPTION_UNSUPPORTED, EOPNOTSUPP,
			       "layers of Microsoft's tardev-snapshotter (%.60s) are taken as the "
			       "mount that it makes, not as storages",
			       option);
	return invalid(e, "the option \"%.120s\" is not taken here", option);
}

int storage_options_read(struct json_object *array, struct storage_options *ret, struct err *e)
{
	struct storage_options o = { 0 };
	int r = 0;

	for (size_t i = 0; !r && i < hostile_count(array); i++) {
		const char *option;

		r = hostile_string_at(array, i, &option, e);
		if (!r)
			r = read_option(option, &o, e);
	}
	if (!r)
		*ret = o;
	return r;
}

bool storage_names_verity(const struct storage_options *o)
{
	bool named = o->verity;

	for (size_t i = 0; i < STORAGE_VERITY_KEYS; i++)
		named |= o->values[i] != NULL;
	return named;
}

static int read_no_superblock(const struct storage_options *o, bool *ret, struct err *e)
{
	const char *text = o->values[STORAGE_NO_SUPERBLOCK];

	*ret = text && !strcmp(text, "true");
	if (!text || *ret || !strcmp(text, "false"))
		return 0;
	return no_verity(e, "no-superblock is \"%.40s\", neither true nor false", text);
}

static int read_offset(const struct storage_options *o, uint64_t *ret, struct err *e)
{
	const char *text = o->values[STORAGE_HASHOFFSET];

	if (!text)
		return no_verity(e, "there is a root hash and no hashoffset");
	if (parse_u64(text, INT64_MAX, ret) || !*ret || *ret % VERITY_BLOCK_SIZE_MIN)
		return no_verity(e, "the hashoffset \"%.40s\" is not behind a number of blocks",
				 text);
	return 0;
}

/* Those of the keys that are verity parameters as they are. */
static int set_params(const struct storage_options *o, struct verity_params *p, struct err *e)
{
	static const struct {
		enum storage_verity key;
		const char *name;
	} rows[] = {
		{ STORAGE_ROOTHASH, "root_hash" },
		{ STORAGE_SALT, "salt" },
		{ STORAGE_BLOCKSIZE, "data_block_size" },
		{ STORAGE_HASHSIZE, "hash_block_size" },
		{ STORAGE_ALGORITHM, "hash" },
		{ STORAGE_HASHTYPE, "format" },
	};
	int r = 0;

	for (size_t i = 0; !r && i < ARRAY_SIZE(rows); i++)
		if (o->values[rows[i].key])
			r = verity_params_set(p, rows[i].name, o->values[rows[i].key], e);
	return r;
}

static int set_numbers(struct verity_params *p, uint64_t offset, bool superblock, struct err *e)
{
	if (offset % p->data_block_size || offset % p->hash_block_size)
		return no_verity(
			e, "the hashoffset %llu is not a multiple of the block sizes %u and %u",
			(unsigned long long)offset, p->data_block_size, p->hash_block_size);
	p->data_blocks = offset / p->data_block_size;
	p->hash_start_block = offset / p->hash_block_size;
	p->hash_start_given = true;
	if (superblock && verity_hash_start(offset, p->hash_block_size, &p->hash_start_block))
		return no_verity(e, "the hashoffset is too large");
	return 0;
}

int storage_verity_set(const struct storage_options *o, struct volume *v, struct err *e)
{
	bool sizes = o->values[STORAGE_BLOCKSIZE] && o->values[STORAGE_HASHSIZE];
	bool any = o->values[STORAGE_BLOCKSIZE] || o->values[STORAGE_HASHSIZE] ||
		   o->values[STORAGE_HASHTYPE];
	bool no_superblock;
	uint64_t offset;
	int r;

	if (!o->verity)
		return no_verity(e, "verity is described, and not asked for by "
				    "X-kata.dmverity-enabled=true");
	if (!o->values[STORAGE_ROOTHASH])
		return err_set(e, FAIL_ROOT_HASH_MISSING, EINVAL,
			       "verity is asked for, and there is no root hash");
	r = read_offset(o, &offset, e);
	if (!r)
		r = read_no_superblock(o, &no_superblock, e);
	if (!r)
		r = set_params(o, &v->verity, e);
	if (r)
		return r;
	if (sizes && (no_superblock || o->values[STORAGE_SALT])) {
		v->proof = VOLUME_VERITY;
		return set_numbers(&v->verity, offset, !no_superblock, e);
	}
	if (no_superblock || any)
		return no_verity(e,
				 "without a superblock blocksize and hashsize must both be there, "
				 "with one they and the salt, or none of them");
	v->proof = VOLUME_SUPERBLOCK;
	v->superblock_offset_bytes = offset;
	v->tree_follows_data = true;
	v->salt_given = o->values[STORAGE_SALT] != NULL;
	return 0;
}
