// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "verity/params.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "lib/array.h"
#include "lib/hex.h"
#include "lib/text.h"

const char *const verity_corruption_words[] = { "panic", "restart", "eio", NULL };

/* Hashes that are allowed, with their digest sizes in bytes. */
static const struct {
	const char *name;
	unsigned int digest_size;
} hashes[] = {
	{ "sha256", 32 },
	{ "sha384", 48 },
	{ "sha512", 64 },
};

unsigned int verity_digest_size(const char *hash_name)
{
	for (size_t i = 0; i < ARRAY_SIZE(hashes); i++)
		if (!strcmp(hash_name, hashes[i].name))
			return hashes[i].digest_size;
	return 0;
}

void verity_params_init(struct verity_params *p)
{
	memset(p, 0, sizeof(*p));
	strcpy(p->hash_name, "sha256");
	p->hash_type = 1;
	p->data_block_size = 4096;
	p->hash_block_size = 4096;
}

static int set_hash(struct verity_params *p, const char *value, struct err *e)
{
	if (!verity_digest_size(value))
		return err_set(e, FAIL_VERITY_PARAMS_INVALID, EINVAL,
			       "hash=%.40s is not one of sha256, sha384, sha512", value);
	snprintf(p->hash_name, sizeof(p->hash_name), "%s", value);
	return 0;
}

static int set_root_hash(struct verity_params *p, const char *value, struct err *e)
{
	uint8_t digest[VERITY_DIGEST_MAX] = { 0 };
	int size = hex_decode(value, digest, sizeof(digest));

	if (!*value)
		return err_set(e, FAIL_ROOT_HASH_MISSING, EINVAL, "root_hash= is empty");
	if (size < 0)
		return err_set(e, FAIL_ROOT_HASH_INVALID, EINVAL,
			       "root_hash= holds %zu characters that are not an even number of "
			       "hexadecimal digits, at most 128",
			       strlen(value));
	memcpy(p->root_hash, digest, sizeof(digest));
	p->root_hash_size = (uint8_t)size;
	return 0;
}

/* "-" is dm-verity's own word for no salt. */
static int set_salt(struct verity_params *p, const char *value, struct err *e)
{
	int size = strcmp(value, "-") ? hex_decode(value, p->salt, sizeof(p->salt)) : 0;

	if (size < 0 || !*value)
		return err_set(e, FAIL_VERITY_PARAMS_INVALID, EINVAL,
			       "salt= must be \"-\" or up to %d bytes as hexadecimal digits",
			       VERITY_SALT_MAX);
	p->salt_size = (uint16_t)size;
	return 0;
}

/* Keys whose value is a number: where it goes and what it may be. */
static const struct number_key {
	const char *key;
	size_t offset;
	size_t size; /* 4 or 8 bytes */
	uint64_t min;
	uint64_t max;
	bool power_of_two;
} number_keys[] = {
#define FIELD(member)                                                                              \
	offsetof(struct verity_params, member), sizeof(((struct verity_params *)0)->member)
	{ "format", FIELD(hash_type), 0, 1, false },
	{ "data_block_size", FIELD(data_block_size), VERITY_BLOCK_SIZE_MIN, VERITY_BLOCK_SIZE_MAX,
	  true },
	{ "hash_block_size", FIELD(hash_block_size), VERITY_BLOCK_SIZE_MIN, VERITY_BLOCK_SIZE_MAX,
	  true },
	{ "data_blocks", FIELD(data_blocks), 1, UINT64_MAX, false },
	{ "hash_start", FIELD(hash_start_block), 0, UINT64_MAX, false },
	{ "fec_roots", FIELD(fec_roots), VERITY_FEC_ROOTS_MIN, VERITY_FEC_ROOTS_MAX, false },
	{ "fec_offset", FIELD(fec_start_bytes), 0, INT64_MAX, false },
#undef FIELD
};

static int set_number(struct verity_params *p, const struct number_key *key, const char *value,
		      struct err *e)
{
	uint64_t number;

	if (parse_u64(value, key->max, &number) || number < key->min ||
	    (key->power_of_two && number & (number - 1)))
		return err_set(e, FAIL_VERITY_PARAMS_INVALID, EINVAL,
			       "%s=%.40s is not a %s from %llu to %llu", key->key, value,
			       key->power_of_two ? "power of two" : "whole number",
			       (unsigned long long)key->min, (unsigned long long)key->max);
	if (key->size == sizeof(uint32_t))
		*(uint32_t *)(void *)((char *)p + key->offset) = (uint32_t)number;
	else
		*(uint64_t *)(void *)((char *)p + key->offset) = number;
	return 0;
}

int verity_params_set(struct verity_params *p, const char *key, const char *value, struct err *e)
{
	if (!strcmp(key, "hash"))
		return set_hash(p, value, e);
	if (!strcmp(key, "root_hash"))
		return set_root_hash(p, value, e);
	if (!strcmp(key, "salt"))
		return set_salt(p, value, e);
	for (size_t i = 0; i < ARRAY_SIZE(number_keys); i++)
		if (!strcmp(key, number_keys[i].key)) {
			int r = set_number(p, &number_keys[i], value, e);

			if (!r && !strcmp(key, "hash_start"))
				p->hash_start_given = true;
			return r;
		}
	return -ENOENT;
}

static int too_large(struct err *e)
{
	return err_set(e, FAIL_VERITY_PARAMS_INVALID, EOVERFLOW,
		       "data_blocks, block sizes and hash_start together exceed 2^63 bytes");
}

/* Bytes of count blocks, as long as an off_t takes them. */
static int blocks_to_bytes(uint64_t count, uint32_t block_size, uint64_t *ret)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(count, (uint64_t)block_size, &bytes) || bytes > INT64_MAX)
		return -EOVERFLOW;
	*ret = bytes;
	return 0;
}

/*
 * A hash block holds a power of two of digests, whatever the digest's size:
 * verity_ctr() rounds the number down. The levels are stored from the top.
 */
static unsigned int digests_per_block_bits(const struct verity_params *p)
{
	uint32_t digests = p->hash_block_size / verity_digest_size(p->hash_name);

	return 31 - (unsigned int)__builtin_clz(digests);
}

int verity_geometry(const struct verity_params *p, struct verity_geometry *ret, struct err *e)
{
	unsigned int bits = digests_per_block_bits(p);
	struct verity_geometry g = { 0 };
	uint64_t blocks = p->data_blocks, hash_end_block;

	if (blocks_to_bytes(p->data_blocks, p->data_block_size, &g.data_bytes))
		return too_large(e);
	while (blocks > 1) {
		blocks = ((blocks - 1) >> bits) + 1;
		g.tree_blocks += blocks;
		g.levels++;
	}
	if (__builtin_add_overflow(p->hash_start_block, g.tree_blocks, &hash_end_block) ||
	    blocks_to_bytes(hash_end_block, p->hash_block_size, &g.hash_end_bytes))
		return too_large(e);
	*ret = g;
	return 0;
}

int verity_hash_start(uint64_t offset_bytes, uint32_t hash_block_size, uint64_t *ret)
{
	uint64_t end;

	if (__builtin_add_overflow(offset_bytes, VERITY_SUPERBLOCK_SIZE, &end) ||
	    __builtin_add_overflow(end, hash_block_size - 1, &end))
		return -EOVERFLOW;
	*ret = end / hash_block_size;
	return 0;
}

static int check_root_hash(const struct verity_params *p, struct err *e)
{
	unsigned int digest_size = verity_digest_size(p->hash_name);

	if (!p->root_hash_size)
		return err_set(e, FAIL_ROOT_HASH_MISSING, EINVAL, "no root_hash= is given");
	if (p->root_hash_size != digest_size)
		return err_set(e, FAIL_ROOT_HASH_INVALID, EINVAL,
			       "root_hash= has %u bytes, but %s has %u", p->root_hash_size,
			       p->hash_name, digest_size);
	return 0;
}

/* verity_fec_ctr() wants one block size, and counts the offset in such blocks. */
static int check_fec(const struct verity_params *p, struct err *e)
{
	if (!p->fec_roots)
		return p->fec_start_bytes ? err_set(e, FAIL_VERITY_PARAMS_INVALID, EINVAL,
						    "fec_offset= is given without fec_roots=") :
					    0;
	if (p->data_block_size != p->hash_block_size)
		return err_set(e, FAIL_VERITY_PARAMS_INVALID, EINVAL,
			       "fec_roots= needs equal block sizes of data and hash");
	if (p->fec_start_bytes % p->hash_block_size)
		return err_set(e, FAIL_VERITY_PARAMS_INVALID, EINVAL,
			       "fec_offset=%llu is not a whole number of blocks of %u bytes",
			       (unsigned long long)p->fec_start_bytes, p->hash_block_size);
	return 0;
}

int verity_params_check_root_hash(const struct verity_params *p, struct err *e)
{
	if (!p->root_hash_size)
		return err_set(e, FAIL_ROOT_HASH_MISSING, EINVAL, "there is no root hash");
	for (size_t i = 0; i < ARRAY_SIZE(hashes); i++)
		if (p->root_hash_size == hashes[i].digest_size)
			return 0;
	return err_set(e, FAIL_ROOT_HASH_INVALID, EINVAL,
		       "the root hash has %u bytes, which no allowed hash has", p->root_hash_size);
}

int verity_params_finish(struct verity_params *p, bool hash_on_data_device, struct err *e)
{
	struct verity_geometry g;
	uint64_t data_bytes;
	int r = check_root_hash(p, e);

	if (r)
		return r;
	if (!p->data_blocks)
		return err_set(e, FAIL_VERITY_PARAMS_INVALID, EINVAL, "no data_blocks= is given");
	r = check_fec(p, e);
	if (r)
		return r;
	if (blocks_to_bytes(p->data_blocks, p->data_block_size, &data_bytes))
		return too_large(e);
	if (!p->hash_start_given) {
		if (!hash_on_data_device)
			return err_set(e, FAIL_VERITY_PARAMS_INVALID, EINVAL,
				       "no hash_start= is given for a hash device of its own");
		if (verity_hash_start(data_bytes, p->hash_block_size, &p->hash_start_block))
			return too_large(e);
		p->hash_start_given = true;
	}
	r = verity_geometry(p, &g, e);
	if (r)
		return r;
	if (hash_on_data_device && p->hash_start_block * p->hash_block_size < g.data_bytes)
		return err_set(e, FAIL_VERITY_PARAMS_INVALID, EINVAL,
			       "the hash tree at block %llu is inside the data",
			       (unsigned long long)p->hash_start_block);
	return 0;
}
