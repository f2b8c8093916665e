/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef VERITY_SUPERBLOCK_H
#define VERITY_SUPERBLOCK_H

#include <stdint.h>

#include "lib/err.h"
#include "lib/uuid.h"
#include "verity/params.h"

/*
 * The 512 bytes that veritysetup writes in front of a hash tree: bytes to
 * parameters. Pure. All numbers are little-endian.
 *
 * Source: cryptsetup, "DMVerity" page of its wiki, and struct verity_sb in
 * lib/verity/verity.c. The root hash is not part of it, and the root hash does
 * not cover it: whoever can write the disk can write this, so every field is
 * checked here and nothing of it is believed where the grammar of the boot
 * carries its own numbers. Of the two hash types only 1 is taken: no form has a superblock
 * of type 0, which is Chromium OS's.
 *
 * offset_bytes is where these bytes stand on the hash device; the tree starts
 * at the next hash block. Sets everything in *ret but root hash and FEC.
 * -ENODATA where there is no superblock at all, -EINVAL
 * (VERITY_PARAMS_INVALID) for one with a field that is not allowed.
 * *ret and ret_uuid are untouched on failure; ret_uuid may be NULL.
 */
int verity_superblock_read(const uint8_t bytes[VERITY_SUPERBLOCK_SIZE], uint64_t offset_bytes,
			   struct verity_params *ret, uint8_t ret_uuid[UUID_SIZE], struct err *e);

#endif
