/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DIFF_DIFF_H
#define IMAGE_BUILD_DIFF_DIFF_H

#include <json-c/json.h>
#include <stddef.h>
#include <stdint.h>

#include "image-build/base/slice.h"
#include "image-build/diff/differences.h"
#include "lib/err.h"

/*
 * What differs between two things of one kind, each difference into d under the
 * place that stands before it. An error is that one of them cannot be read: which
 * one, is in its text. Sides are called A and B.
 */

/* Two files or two directories: the latter by the names in them, so bundles as well. */
int diff_paths(const char *a, const char *b, struct differences *d, struct err *e);

/* Two erofs, file by file, attribute by attribute. */
int diff_erofs(const struct slice *a, const struct slice *b, const char *place,
	       struct differences *d, struct err *e);

/* Two initramfs in memory, entry by entry: of one name the last counts, as in the kernel. */
struct bytes {
	const uint8_t *at;
	size_t size;
};

int diff_cpio(const struct bytes *a, const struct bytes *b, const char *place,
	      struct differences *d, struct err *e);

/* Two JSON values: members and elements by their path, "layers[0].root_hash". */
void diff_json(struct json_object *a, struct json_object *b, const char *place,
	       struct differences *d);

/* Two files of which no more is known: the sizes, and the first byte that differs. */
int diff_bytes(const struct slice *a, const struct slice *b, const char *place,
	       struct differences *d, struct err *e);

#endif
