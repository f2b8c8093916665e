/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_INSPECT_PROTECTION_H
#define IMAGE_BUILD_INSPECT_PROTECTION_H

#include <json-c/json.h>
#include <stdbool.h>

#include "image-build/base/slice.h"
#include "image-build/inspect/filesystem.h"
#include "lib/err.h"
#include "lib/uuid.h"
#include "verity/params.h"

/* What the user wants to have proved. */
struct proof_wanted {
	bool verify;                       /* recompute every hash */
	const char *root_hash;             /* hex, to hold against; or NULL */
	const struct verity_params *given; /* finished, in place of a superblock's; or NULL */
};

/*
 * The first superblock behind a file system, and the root hash of the tree behind it,
 * which nothing has proved; *found: whether there is one.
 */
int protection_find(const struct slice *x, const struct filesystem *fs, struct verity_params *p,
		    uint8_t uuid[UUID_SIZE], bool *found, struct err *e);

/* Whether a guest could mount it as one layer; p may be NULL: without a tree. */
int protection_judge(const struct filesystem *fs, const struct verity_params *p, struct err *e);

/*
 * The dm-verity of a slice with a file system at its start (fs->size_bytes 0:
 * something else): by the parameters that are given, or by the first superblock
 * behind the file system. It goes into o under "verity", and the socle.layer= key
 * under "cmdline"; device is how that names it, NULL: by a serial number made of
 * the root hash. Where no guest could use the slice as a layer "not_a_layer"
 * says why in place of the key, and nothing that is wanted is proved.
 * *found: whether there is a tree at all.
 */
int protection_read(const struct slice *x, const struct filesystem *fs,
		    const struct proof_wanted *wanted, const char *device, struct json_object *o,
		    bool *found, struct err *e);

#endif
