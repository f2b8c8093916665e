// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "verity/trailer.h"

#include <errno.h>
#include <string.h>

#include "lib/le.h"

#define SALT_SIZE 32

#define invalid(e, ...) err_set(e, FAIL_VERITY_PARAMS_INVALID, EINVAL, __VA_ARGS__)

static bool block_size_allowed(uint64_t size)
{
	return size >= VERITY_BLOCK_SIZE_MIN && size <= VERITY_BLOCK_SIZE_MAX &&
	       (size & (size - 1)) == 0;
}

int verity_trailer_read(const uint8_t bytes[VERITY_TRAILER_SIZE], uint64_t at_bytes,
			struct verity_params *ret, struct err *e)
{
	uint64_t data_block_size = le_get(bytes, 4), hash_block_size = le_get(bytes + 4, 4);
	struct verity_geometry g;
	struct verity_params p;
	int r;

	if (!block_size_allowed(data_block_size) || !block_size_allowed(hash_block_size))
		return invalid(e, "the trailer has block sizes of %llu and %llu bytes",
			       (unsigned long long)data_block_size,
			       (unsigned long long)hash_block_size);
	verity_params_init(&p);
	p.data_block_size = (uint32_t)data_block_size;
	p.hash_block_size = (uint32_t)hash_block_size;
	p.data_blocks = le_get(bytes + 8, 8);
	p.salt_size = SALT_SIZE;
	if (!p.data_blocks)
		return invalid(e, "the trailer has no data blocks");
	r = verity_geometry(&p, &g, e);
	if (r)
		return r;
	p.hash_start_block = (g.data_bytes + hash_block_size - 1) / hash_block_size;
	p.hash_start_given = true;
	r = verity_geometry(&p, &g, e);
	if (r)
		return r;
	if (g.hash_end_bytes > at_bytes)
		return invalid(e,
			       "the trailer at %llu has %llu data blocks, whose tree ends at %llu",
			       (unsigned long long)at_bytes, (unsigned long long)p.data_blocks,
			       (unsigned long long)g.hash_end_bytes);
	*ret = p;
	return 0;
}
