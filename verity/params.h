/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef VERITY_PARAMS_H
#define VERITY_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"

/*
 * The parameters of one dm-verity device, and the arithmetic of its hash tree.
 * Pure: no device is opened here.
 *
 * Source: the kernel's Documentation/admin-guide/device-mapper/verity.rst, and
 * for the limits verity_ctr() and verity_parse_opt_args() in
 * drivers/md/dm-verity-target.c.
 */

#define VERITY_HASH_NAME_SIZE  32     /* with the closing NUL */
#define VERITY_DIGEST_MAX      64     /* bytes; sha512 */
#define VERITY_SALT_MAX        256    /* bytes, as in the on-disk superblock */
#define VERITY_BLOCK_SIZE_MIN  512    /* bytes */
#define VERITY_BLOCK_SIZE_MAX  524288 /* bytes */
#define VERITY_LEVELS_MAX      63     /* DM_VERITY_MAX_LEVELS */
#define VERITY_SUPERBLOCK_SIZE 512    /* bytes */
#define VERITY_FEC_ROOTS_MIN   2
#define VERITY_FEC_ROOTS_MAX   24

/* What the kernel does when a block does not match, once the agent runs. */
enum verity_corruption {
	VERITY_ON_CORRUPTION_PANIC,   /* panic_on_corruption, the default */
	VERITY_ON_CORRUPTION_RESTART, /* restart_on_corruption */
	VERITY_ON_CORRUPTION_EIO,     /* the read fails, the guest goes on */
};

/* Their words, in this order, with a closing NULL. */
extern const char *const verity_corruption_words[];

struct verity_params {
	char hash_name[VERITY_HASH_NAME_SIZE]; /* the kernel's name: "sha256" */
	uint32_t hash_type;                    /* on-disk format: 0 (ChromeOS) or 1 */
	uint32_t data_block_size;              /* bytes, a power of two */
	uint32_t hash_block_size;              /* bytes, a power of two */
	uint64_t data_blocks;                  /* in data blocks; 0: not given yet */
	uint64_t hash_start_block; /* first block of the tree on the hash device, in hash blocks */
	bool hash_start_given;     /* else verity_params_finish() derives it */
	uint16_t salt_size;        /* bytes, 0: no salt */
	uint8_t root_hash_size;    /* bytes, 0: not given yet */
	uint8_t salt[VERITY_SALT_MAX];
	uint8_t root_hash[VERITY_DIGEST_MAX];
	bool ignore_zero_blocks;  /* blocks whose hash is that of zeroes are not read */
	uint32_t fec_roots;       /* parity bytes a codeword; 0: no FEC */
	uint64_t fec_start_bytes; /* where the parity starts on the FEC device, bytes */
};

/* The shape of the hash tree that a set of parameters asks for. */
struct verity_geometry {
	uint32_t levels;         /* 0 for a single data block */
	uint64_t data_bytes;     /* data_blocks * data_block_size */
	uint64_t tree_blocks;    /* hash blocks of all levels together */
	uint64_t hash_end_bytes; /* first byte behind the tree on the hash device */
};

/* sha256, format 1, 4096/4096, no salt, everything else not given. */
void verity_params_init(struct verity_params *p);

/*
 * Take one key=value pair of our grammar: hash= format= data_block_size=
 * hash_block_size= data_blocks= hash_start= salt= root_hash= fec_roots=
 * fec_offset=. Returns -ENOENT, with nothing recorded in e, for a key that is
 * not one of these; otherwise 0 or an error with its failure code. Whether a
 * key is specified twice is its caller's business.
 */
int verity_params_set(struct verity_params *p, const char *key, const char *value, struct err *e);

/*
 * Check the whole set once all keys are in, and derive hash_start_block where
 * it was not given: 0 on a hash device of its own without superblock is never
 * assumed; it is the block behind the data and one superblock, which is where
 * socle-image puts the tree on the same device. hash_on_data_device says that
 * data and tree share a device: then the tree may not overlap the data.
 */
int verity_params_finish(struct verity_params *p, bool hash_on_data_device, struct err *e);

/*
 * What can be said of a root hash before a superblock names the hash: there is
 * one, and it is as long as some allowed hash makes it.
 */
int verity_params_check_root_hash(const struct verity_params *p, struct err *e);

/*
 * The first hash block behind a superblock that stands at offset_bytes of the
 * hash device. -EOVERFLOW where that is beyond 64 bits.
 */
int verity_hash_start(uint64_t offset_bytes, uint32_t hash_block_size, uint64_t *ret);

/* -EOVERFLOW (VERITY_PARAMS_INVALID) where a size does not fit into 64 bits. */
int verity_geometry(const struct verity_params *p, struct verity_geometry *ret, struct err *e);

/* Digest size in bytes of a hash that is allowed here, 0 for any other name. */
unsigned int verity_digest_size(const char *hash_name);

#endif
