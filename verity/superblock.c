// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "verity/superblock.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "lib/le.h"

/* Where each field starts. */
enum {
	AT_SIGNATURE = 0,
	AT_VERSION = 8,
	AT_HASH_TYPE = 12,
	AT_UUID = 16,
	AT_ALGORITHM = 32,
	AT_DATA_BLOCK_SIZE = 64,
	AT_HASH_BLOCK_SIZE = 68,
	AT_DATA_BLOCKS = 72,
	AT_SALT_SIZE = 80,
	AT_SALT = 88,
};

static const uint8_t signature[8] = { 'v', 'e', 'r', 'i', 't', 'y', 0, 0 };

static bool block_size_allowed(uint64_t size)
{
	return size >= VERITY_BLOCK_SIZE_MIN && size <= VERITY_BLOCK_SIZE_MAX &&
	       (size & (size - 1)) == 0;
}

#define invalid(e, ...) err_set(e, FAIL_VERITY_PARAMS_INVALID, EINVAL, __VA_ARGS__)

static int read_algorithm(const uint8_t *at, struct verity_params *p, struct err *e)
{
	if (!memchr(at, 0, VERITY_HASH_NAME_SIZE))
		return invalid(e, "verity superblock: the hash name is not terminated");
	memcpy(p->hash_name, at, VERITY_HASH_NAME_SIZE);
	if (!verity_digest_size(p->hash_name))
		return invalid(e, "verity superblock: hash \"%s\" is not allowed", p->hash_name);
	return 0;
}

static int read_geometry(const uint8_t *bytes, uint64_t offset_bytes, struct verity_params *p,
			 struct err *e)
{
	uint64_t data_block_size = le_get(bytes + AT_DATA_BLOCK_SIZE, 4);
	uint64_t hash_block_size = le_get(bytes + AT_HASH_BLOCK_SIZE, 4);
	struct verity_geometry geometry;

	if (!block_size_allowed(data_block_size) || !block_size_allowed(hash_block_size))
		return invalid(e,
			       "verity superblock: block sizes %" PRIu64 " and %" PRIu64
			       " are not allowed",
			       data_block_size, hash_block_size);
	p->data_block_size = (uint32_t)data_block_size;
	p->hash_block_size = (uint32_t)hash_block_size;
	p->data_blocks = le_get(bytes + AT_DATA_BLOCKS, 8);
	if (p->data_blocks == 0)
		return invalid(e, "verity superblock: no data blocks");
	if (verity_hash_start(offset_bytes, p->hash_block_size, &p->hash_start_block))
		return invalid(e, "verity superblock: it is too far from the start of its device");
	p->hash_start_given = true;
	return verity_geometry(p, &geometry, e);
}

static int read_salt(const uint8_t *bytes, struct verity_params *p, struct err *e)
{
	uint64_t size = le_get(bytes + AT_SALT_SIZE, 2);

	if (size > VERITY_SALT_MAX)
		return invalid(e, "verity superblock: a salt of %" PRIu64 " bytes, at most %d",
			       size, VERITY_SALT_MAX);
	p->salt_size = (uint16_t)size;
	memcpy(p->salt, bytes + AT_SALT, size);
	return 0;
}

int verity_superblock_read(const uint8_t bytes[VERITY_SUPERBLOCK_SIZE], uint64_t offset_bytes,
			   struct verity_params *ret, uint8_t ret_uuid[UUID_SIZE], struct err *e)
{
	struct verity_params p;
	int r;

	if (memcmp(bytes + AT_SIGNATURE, signature, sizeof(signature)))
		return err_set(e, FAIL_VERITY_PARAMS_INVALID, ENODATA, "no verity superblock");
	if (le_get(bytes + AT_VERSION, 4) != 1)
		return invalid(e, "verity superblock: version %" PRIu64 ", only 1 is supported",
			       le_get(bytes + AT_VERSION, 4));
	verity_params_init(&p);
	p.hash_type = (uint32_t)le_get(bytes + AT_HASH_TYPE, 4);
	/* A tree of type 1 read as one of type 0 can prove a block in the place of another one. */
	if (p.hash_type != 1)
		return invalid(e, "verity superblock: hash type %" PRIu32 ", only 1 is supported",
			       p.hash_type);
	r = read_algorithm(bytes + AT_ALGORITHM, &p, e);
	if (!r)
		r = read_geometry(bytes, offset_bytes, &p, e);
	if (!r)
		r = read_salt(bytes, &p, e);
	if (r)
		return r;
	*ret = p;
	if (ret_uuid)
		memcpy(ret_uuid, bytes + AT_UUID, UUID_SIZE);
	return 0;
}
