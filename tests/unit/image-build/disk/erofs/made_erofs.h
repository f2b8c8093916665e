/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef TESTS_UNIT_IMAGE_BUILD_DISK_EROFS_MADE_EROFS_H
#define TESTS_UNIT_IMAGE_BUILD_DISK_EROFS_MADE_EROFS_H

#include "image-build/base/store.h"
#include "image-build/tree/tree.h"
#include "tests/unit/unit.h"

/* A tree made by hand, its contents in a file of a folder, and the erofs that becomes of them. */
struct made {
	struct temp temp;
	char path[96]; /* of the image */
	struct tree tree;
	struct store store;
	size_t tail_max; /* of what is kept apart; 0: nothing */
	uint64_t size;   /* of the image, once it is built */
};

void made_open(struct made *m, size_t tail_max);
void made_close(struct made *m);

/* A name with an inode of its own, in a folder that is there. */
struct inode *made_add(struct made *m, struct node *dir, const char *name, mode_t mode);
/* The same by path. */
struct inode *made_at(struct made *m, const char *path, mode_t mode);

/* Data of a file, in order; then its size. Bytes depend on seed and offset. */
void made_data(struct made *m, struct inode *inode, uint64_t offset, size_t size,
	       unsigned int seed);
void made_end(struct made *m, struct inode *inode, uint64_t size);
/* A file that is all data. */
void made_file(struct made *m, const char *path, uint64_t size);

/* Build it, and let what did not build it read it: liberofs against the tree, and fsck.erofs. */
void made_build(struct made *m);

/* Bytes of the image. */
void made_read(const struct made *m, uint64_t at, void *buf, size_t size);

#endif
