/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DISK_HASH_BLOCKS_H
#define IMAGE_BUILD_DISK_HASH_BLOCKS_H

#include <openssl/evp.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "verity/params.h"

/*
 * The shape of a hash tree, and the hash of one of its blocks. Sources: the kernel's
 * verity.rst, "Hash Tree", and verity_position_at_level() in
 * drivers/md/dm-verity-target.c. Level -1 is the data, level 0 its hashes.
 */
struct hash_shape {
	const struct verity_params *p;     /* borrowed */
	size_t digest_size, slot_size;     /* bytes: a digest, and the place that it has */
	uint64_t hashes_per_block;         /* a power of two */
	uint32_t levels;                   /* 0 where one data block is all there is */
	uint64_t data_bytes, end_bytes;    /* where the data ends, where the tree ends */
	uint64_t start[VERITY_LEVELS_MAX]; /* hash block where a level begins */
	uint64_t blocks[VERITY_LEVELS_MAX];
};

/* p needs everything but the root hash. */
int hash_shape_of(const struct verity_params *p, struct hash_shape *ret, struct err *e);

/* Where block index of a level stands, how many the level has, and what size they are. */
uint64_t hash_shape_at(const struct hash_shape *s, int64_t level, uint64_t index);
uint64_t hash_shape_count(const struct hash_shape *s, int64_t level);
uint32_t hash_shape_size(const struct hash_shape *s, int64_t level);

/* Hashes one block after the other. Close it in every case. */
struct block_hasher {
	const struct verity_params *p; /* borrowed */
	EVP_MD *md;
	EVP_MD_CTX *context;
	bool pairs; /* two at a time are faster */
};

int block_hasher_open(struct block_hasher *h, const struct verity_params *p, struct err *e);
void block_hasher_close(struct block_hasher *h);
void block_hasher_run(struct block_hasher *h, const uint8_t *block, uint32_t size, uint8_t *digest);
/* Two of them; only where pairs says so. */
void block_hasher_run_pair(struct block_hasher *h, const uint8_t *const blocks[2], uint32_t size,
			   uint8_t *const digests[2]);

#endif
