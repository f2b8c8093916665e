/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef VERITY_TRAILER_H
#define VERITY_TRAILER_H

#include "verity/params.h"

/*
 * The 16 bytes with which Microsoft's tardev-snapshotter ends a layer, in the last 512
 * of the disk: data block size and hash block size (4 bytes each), data blocks (8), all
 * little-endian. The hash is sha256, format 1, the salt 32 zero bytes, and the tree
 * begins at the first hash block behind the data. Pure. Source: kata-containers of
 * Microsoft, src/tardev-snapshotter/verity/src/lib.rs.
 *
 * A hint: the host can write it and the root hash does not cover it. Too many blocks
 * match nothing; too few are only seen by whoever knows how long the file system is.
 */

#define VERITY_TRAILER_SIZE   16
#define VERITY_TRAILER_BEHIND 512 /* bytes from where it begins to the end of the disk */

/*
 * at_bytes is where it stands; the tree must end there at the latest. Sets all of *ret
 * but the root hash; untouched on failure: VERITY_PARAMS_INVALID.
 */
int verity_trailer_read(const uint8_t bytes[VERITY_TRAILER_SIZE], uint64_t at_bytes,
			struct verity_params *ret, struct err *e);

#endif
