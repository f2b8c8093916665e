/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DISK_BUILT_IMAGE_H
#define IMAGE_BUILD_DISK_BUILT_IMAGE_H

#include <stdatomic.h>
#include <stdint.h>

#include "image-build/base/digest.h"
#include "image-build/tree/tree.h"
#include "lib/err.h"
#include "lib/uuid.h"
#include "verity/params.h"

/* Where a tree's salt comes from. */
struct salt_choice {
	enum { SALT_CONTENT, SALT_NONE, SALT_GIVEN } kind; /* CONTENT: sha256 of the erofs */
	uint16_t size;
	uint8_t bytes[VERITY_SALT_MAX];
};

/* "content", "none" or up to 256 bytes in hex. */
int salt_parse(const char *text, void *field, struct err *e);

#define SERIAL_DIGITS 12 /* of the root hash; virtio-blk takes 20 bytes */

/* One finished image: erofs, verity superblock, tree. */
struct built_image {
	uint64_t size; /* bytes */
	struct digest digest;
	uint8_t uuid[UUID_SIZE]; /* of the erofs */
	struct verity_params verity;
	char serial[SERIAL_DIGITS + 1]; /* what the host must give the disk */
};

/*
 * Make an image of a tree (see overlay_encode()) in an empty file. Nothing but
 * the tree and the salt choice decides a byte of it. To be called in a child
 * process: see image-build/disk/erofs_image.h.
 */
int image_make(const struct tree *t, const char *path, const struct salt_choice *salt,
	       struct built_image *ret, _Atomic uint64_t *progress, struct err *e);

#endif
