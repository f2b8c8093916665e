/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DISK_EROFS_EROFS_SPACE_H
#define IMAGE_BUILD_DISK_EROFS_EROFS_SPACE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Where each inode goes, with what follows it: a place is a number of bytes from the
 * first inode's block, a multiple of EROFS_SLOT.
 *
 * An inode is never cut by the end of a block (the kernel would read two for it), and
 * the tail must not be (the kernel refuses it). Anything that fits one block stands in
 * one. What this leaves free at the ends of blocks is filled with what comes later and
 * is smaller, but not much later: what a guest asks for together shall stand together,
 * and whoever writes needs to hold only the last EROFS_SPACE_BACK bytes.
 */
#define EROFS_SPACE_GAPS 16
#define EROFS_SPACE_BACK ((uint64_t)16 * 4096)
/* Bytes of the longest tail; anything longer is better off in a block of its own. */
#define EROFS_TAIL_MAX (4096 - 64)

struct erofs_gap {
	uint64_t at;
	uint32_t size;
};

/* Zero it. */
struct erofs_space {
	uint64_t end; /* of the blocks in use: a multiple of 4096 */
	size_t count;
	struct erofs_gap gaps[EROFS_SPACE_GAPS];
};

/* fixed: bytes of inode, attributes and index, a multiple of 4; tail: at most EROFS_TAIL_MAX. */
uint64_t erofs_place(struct erofs_space *s, uint64_t fixed, uint32_t tail);

#endif
