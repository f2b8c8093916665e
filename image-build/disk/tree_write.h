/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DISK_TREE_WRITE_H
#define IMAGE_BUILD_DISK_TREE_WRITE_H

#include "image-build/base/slice.h"
#include "image-build/disk/hash_blocks.h"
#include "lib/err.h"
#include "lib/uuid.h"
#include "verity/params.h"

/*
 * Where a hash tree goes: hash_start_block counts from offset of this file, as a
 * guest counts it from the start of the hash device.
 */
struct tree_place {
	int fd;               /* borrowed; open for reading and writing */
	uint64_t offset;      /* bytes; where the hash device begins */
	const uint8_t *spare; /* what stands in slots of no hash, a digest; NULL: zeros */
};

/*
 * A hash tree under way, in steps, so that threads can share the middle one, which is
 * nearly all of the work: open; each part once, in any order and beside each other; close.
 */
struct tree_making {
	struct slice data;
	struct tree_place place;
	struct verity_params p;
	struct hash_shape shape; /* of p: a making is not moved */
};

/*
 * What the slice is short of the last data block counts as zeros, more than that is
 * refused. p has everything but the root hash.
 */
int tree_making_open(struct tree_making *m, const struct slice *data, const struct verity_params *p,
		     const struct tree_place *place, struct err *e);
uint64_t tree_making_parts(const struct tree_making *m);
int tree_making_part(const struct tree_making *m, uint64_t index, struct err *e);
/* The rest of the tree; m->p gets its root hash. */
int tree_making_close(struct tree_making *m, struct err *e);
/* All parts, on all cores, and close. */
int tree_making_run(struct tree_making *m, struct err *e);

/*
 * All of it, on all cores: hash p's data blocks and write the tree, and set the root
 * hash on success. Source: the kernel's verity.rst, "Hash Tree"; the bytes are those of
 * veritysetup(8), whose spare slots are zeros.
 */
int tree_write(const struct slice *data, struct verity_params *p, const struct tree_place *place,
	       struct err *e);

/* The 512 bytes that veritysetup(8) puts in front of a tree: see verity/superblock.h. */
void superblock_encode(const struct verity_params *p, const uint8_t uuid[UUID_SIZE],
		       uint8_t bytes[VERITY_SUPERBLOCK_SIZE]);

#endif
