/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_DESCRIBE_STORAGE_OPTIONS_H
#define MOUNT_DESCRIBE_STORAGE_OPTIONS_H

#include <stdbool.h>

#include "mount/describe/hostile_json.h"
#include "mount/volume.h"

/*
 * The options of one Storage message of Kata's: words of its runtime to its agent,
 * X-kata.*, and hardly any of a file system's. Source: kata-containers,
 * src/libs/kata-types/src/gpt_disk.rs, src/agent/src/storage/multi_layer_erofs.rs. Pure.
 */

/* What X-kata.dmverity.NAME says, in this order. */
enum storage_verity {
	STORAGE_ROOTHASH,
	STORAGE_HASHOFFSET, /* bytes: where the data end and what proves them begins */
	STORAGE_NO_SUPERBLOCK,
	STORAGE_SALT,
	STORAGE_BLOCKSIZE,
	STORAGE_HASHSIZE,
	STORAGE_ALGORITHM,
	STORAGE_HASHTYPE,
	STORAGE_VERITY_KEYS,
};

#define STORAGE_PARTITION_MAX 128

struct storage_options {
	bool multi_layer, gpt, lower, upper;
	bool writable;                           /* rw */
	unsigned int partition;                  /* 1 to STORAGE_PARTITION_MAX; 0: not given */
	bool verity;                             /* X-kata.dmverity-enabled=true */
	const char *values[STORAGE_VERITY_KEYS]; /* NULL: not given */
	const char *sidecar; /* containerd's file, on the host; its numbers did not come along */
};

/*
 * Strict: every X-kata. option is known and in its one spelling, since another one of
 * dmverity-enabled would silently mean off, and stands there once.
 */
int storage_options_read(struct json_object *array, struct storage_options *ret, struct err *e);

/* Is there anything about verity that a volume could be proved with? */
bool storage_names_verity(const struct storage_options *o);

/*
 * Its verity into a volume. The runtime of Kata 4.1 sends no block sizes: they, and N,
 * are the superblock's then, at hashoffset, where the data must end, with the salt
 * that was sent. Where both sizes and the salt are sent, or there is no superblock,
 * every number is the description's: N = hashoffset / blocksize, and no superblock is read.
 * A root hash without dmverity-enabled is a demand that Kata's agent does not hear:
 * VERITY_PARAMS_INVALID, as for all that contradicts or lacks; ROOT_HASH_MISSING.
 */
int storage_verity_set(const struct storage_options *o, struct volume *v, struct err *e);

#endif
