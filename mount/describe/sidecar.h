/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_DESCRIBE_SIDECAR_H
#define MOUNT_DESCRIBE_SIDECAR_H

#include "mount/describe/describe.h"

/*
 * The file that containerd writes beside a layer's blob, <blob>.dmverity: a root
 * hash and where the verity superblock stands behind the data. Everything else is in
 * that superblock, which the root hash proves or does not: a wrong salt or block size
 * matches nothing, and its number of data blocks must be what lies in front of it.
 * Source: containerd, internal/dmverity/dmverity.go. Pure.
 */

/* {"roothash":"HEX","hashoffset":BYTES}, into a volume: VOLUME_SUPERBLOCK. */
int sidecar_read(const char *text, struct volume *v, struct err *e);

/*
 * Of a volume for which a description has no numbers: those of the sidecar that the
 * caller gave for it, or none, VOLUME_RAW. named is the path of the host by which the
 * description names a sidecar, or NULL. Where one is named and none given,
 * VERITY_MISSING, unless the caller allows exactly this volume to be unverified: the
 * name proves nothing, for the host could have left it away as well, but a producer
 * who meant verity and a caller who meant none are a mistake.
 */
int sidecar_take(const struct describe_given *given, const struct stack *s, const char *named,
		 struct volume *v, struct err *e);

/* DESCRIPTION_INVALID where a sidecar is given for a volume whose numbers the description has. */
int sidecar_none(const struct describe_given *given, const struct stack *s, const struct volume *v,
		 struct err *e);

#endif
