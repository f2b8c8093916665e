// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/qemu/agent/remake.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/hex.h"
#include "lib/io.h"
#include "lib/sha256.h"
#include "tests/qemu/agent/json.h"
#include "verity/superblock.h"

/* What these tests' layers are made with. */
#define BLOCK            4096
#define HASHES_PER_BLOCK (BLOCK / SHA256_SIZE)

/* The superblock stands right behind the data, at the start of a block. */
static int find_superblock(int disk, struct verity_params *ret)
{
	uint8_t bytes[VERITY_SUPERBLOCK_SIZE];
	struct err e;

	for (uint64_t at = 0; io_pread(disk, bytes, sizeof(bytes), at) == sizeof(bytes);
	     at += BLOCK)
		if (!verity_superblock_read(bytes, at, ret, NULL, &e) &&
		    ret->data_blocks * ret->data_block_size == at)
			return ret->hash_type == 1 && ret->data_block_size == BLOCK &&
					       ret->hash_block_size == BLOCK &&
					       !strcmp(ret->hash_name, "sha256") ?
				       0 :
				       -ENOTSUP;
	return -ENODATA;
}

/* Of a block of the disk, or of one in memory. */
static int hash_block(const struct verity_params *p, int disk, uint64_t number,
		      const uint8_t *in_memory, uint8_t digest[SHA256_SIZE])
{
	static uint8_t salted[VERITY_SALT_MAX + BLOCK];
	uint8_t *block = salted + p->salt_size;

	memcpy(salted, p->salt, p->salt_size);
	if (in_memory)
		memcpy(block, in_memory + number * BLOCK, BLOCK);
	else if (io_pread(disk, block, BLOCK, number * BLOCK) != BLOCK)
		return -EIO;
	sha256(salted, p->salt_size + (size_t)BLOCK, digest);
	return 0;
}

/* From the lowest level, which is the last one of the tree, to the root hash. */
static int make_tree(int disk, struct verity_params *p, uint32_t levels, uint8_t *end)
{
	const uint8_t *below = NULL;
	uint64_t count = p->data_blocks;

	for (; levels; levels--) {
		uint64_t blocks = (count + HASHES_PER_BLOCK - 1) / HASHES_PER_BLOCK;

		end -= blocks * BLOCK;
		for (uint64_t i = 0; i < count; i++)
			if (hash_block(p, disk, i, below, end + i * SHA256_SIZE))
				return -EIO;
		below = end;
		count = blocks;
	}
	p->root_hash_size = SHA256_SIZE;
	return hash_block(p, disk, 0, below, p->root_hash);
}

/* How many bytes of the tree from the first on are the disk's. */
static uint64_t same_bytes(int disk, uint64_t start, const uint8_t *tree, uint64_t size)
{
	uint8_t block[BLOCK];
	uint64_t at = 0;

	while (at < size && io_pread(disk, block, BLOCK, start + at) == BLOCK &&
	       !memcmp(block, tree + at, BLOCK))
		at += BLOCK;
	return at;
}

void do_remake(const char *device)
{
	auto_fd int disk = open(device, O_RDONLY | O_CLOEXEC);
	char hash[2 * VERITY_DIGEST_MAX + 1];
	struct verity_geometry g = { 0 };
	struct verity_params p;
	uint8_t *tree = NULL;
	uint64_t size = 0;
	int r = disk < 0 ? -errno : find_superblock(disk, &p);

	if (!r)
		r = verity_geometry(&p, &g, NULL);
	if (!r) {
		size = g.tree_blocks * BLOCK;
		tree = calloc(1, size + 1);
		r = tree ? make_tree(disk, &p, g.levels, tree + size) : -ENOMEM;
	}
	errno = -r;
	json_result(r);
	if (!r) {
		hex_encode(p.root_hash, p.root_hash_size, hash);
		json_text("root_hash", hash);
		json_number("end", g.hash_end_bytes);
		json_number("bytes", size);
		json_number("same", same_bytes(disk, p.hash_start_block * BLOCK, tree, size));
	}
	free(tree);
}
