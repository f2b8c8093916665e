/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DISK_BUILT_IMAGE_H
#define IMAGE_BUILD_DISK_BUILT_IMAGE_H

#include <stdatomic.h>
#include <stdint.h>

#include "image-build/base/digest.h"
#include "image-build/base/progress.h"
#include "image-build/base/store.h"
#include "image-build/disk/tree_write.h"
#include "image-build/tree/tree.h"
#include "lib/err.h"
#include "lib/uuid.h"
#include "verity/params.h"

/* Where a hash tree's salt comes from. */
struct salt_choice {
	enum { SALT_CONTENT, SALT_NONE, SALT_GIVEN } kind; /* CONTENT: the image's source */
	uint16_t size;
	uint8_t bytes[VERITY_SALT_MAX];
};

/* "content", "none" or up to 256 bytes in hex. */
int salt_parse(const char *text, void *field, struct err *e);

#define SERIAL_DIGITS 12 /* of the root hash; virtio-blk takes 20 bytes */

/* One finished image: erofs, verity superblock, tree. */
struct built_image {
	uint64_t size;           /* bytes */
	uint8_t uuid[UUID_SIZE]; /* of the erofs */
	struct verity_params verity;
	char serial[SERIAL_DIGITS + 1]; /* what the host must give the disk */
};

/* One image on its way from a tree and its contents. All of it is borrowed. */
struct image_making {
	const struct tree *tree;     /* see overlay_encode() */
	const struct store *store;   /* all contents of the tree, packed and flushed */
	const char *path;            /* of the store's file, to read it back */
	const char *label;           /* before the words of a failure */
	const struct digest *source; /* UUIDs and salt come from it */

	struct built_image image; /* the result */

	uint64_t erofs_size; /* bytes; and the rest is for whoever makes it */
	struct tree_making verity;
};

/*
 * Make images of the files in which their contents stand already. Nothing but
 * contents, trees, sources and the salt choice decides a byte of them. Each erofs is
 * read back and compared with its tree. Bytes of images are added to *done.
 */
int images_make(struct image_making *list, size_t count, const struct salt_choice *salt,
		_Atomic uint64_t *done, struct progress *p, struct err *e);

#endif
