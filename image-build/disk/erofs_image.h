/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DISK_EROFS_IMAGE_H
#define IMAGE_BUILD_DISK_EROFS_IMAGE_H

#include <stdatomic.h>
#include <stdint.h>

#include "image-build/base/digest.h"
#include "image-build/tree/tree.h"
#include "lib/err.h"
#include "lib/uuid.h"

#define EROFS_BLOCK_BYTES 4096

/*
 * Both of these use liberofs, which keeps its state in globals: one image per
 * process, so call them in a child process of their own.
 */

/*
 * Write a tree (see overlay_encode()) as erofs into an empty file, with blocks
 * of 4096 bytes whatever the page size here is, no compression, build time 0.
 * The UUID comes from the canonical tar's digest.
 */
int erofs_write(const struct tree *t, const char *path, uint8_t ret_uuid[UUID_SIZE],
		_Atomic uint64_t *progress, struct err *e);

/*
 * Read a finished erofs back and compare it with the tree, name by name,
 * attribute by attribute and byte by byte: what the library lost without
 * saying so is an error here.
 */
int erofs_check(const struct tree *t, const char *path, struct err *e);

#endif
