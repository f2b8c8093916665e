/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_VOLUME_H
#define MOUNT_VOLUME_H

#include <stdbool.h>

#include "mount/device/devref.h"
#include "mount/fs/fstype.h"
#include "verity/device.h"
#include "verity/params.h"
#include "verity/signature.h"

/*
 * A volume: one file system, where it is and what proves it. A plain value; what
 * is done with it is in mount/open.h and mount/mount.h.
 */

enum volume_proof {
	VOLUME_VERITY,     /* dm-verity, every parameter given */
	VOLUME_SUPERBLOCK, /* dm-verity, root hash given, the rest from a superblock */
	VOLUME_RAW,        /* nothing; only where the policy allows it */
};

#define VOLUME_OPTIONS_SIZE 256

struct volume {
	char name[ERR_VOLUME_SIZE];     /* in messages: "layer-0", "root" */
	char dm_name[MAPPED_NAME_SIZE]; /* device-mapper's name for it */
	char dm_mark[33];               /* what tells it from others of the name, or empty */
	enum volume_proof proof;
	struct devref data;                    /* where the file system is */
	struct devref hash;                    /* where the tree is; DEVREF_NONE: behind the data */
	struct devref fec;                     /* where the parity is; DEVREF_NONE: nowhere */
	struct verity_params verity;           /* VOLUME_SUPERBLOCK: root hash and FEC only */
	struct verity_signature_ref signature; /* of the root hash; not of a VOLUME_RAW */
	uint64_t superblock_offset_bytes;      /* VOLUME_SUPERBLOCK: on the hash device */
	bool tree_follows_data;                /* VOLUME_SUPERBLOCK: it stands where the data end */
	bool salt_given;                       /* VOLUME_SUPERBLOCK: its salt must be verity's */
	bool trailer; /* VOLUME_SUPERBLOCK: it is verity/trailer.h's, at the end of the disk */
	bool refuse_whiteouts;             /* its deletions are files called .wh.NAME */
	unsigned int devices;              /* of a stack: how many behind it are device= of it */
	bool adopt;                        /* the kernel may have opened it already as dm_name */
	bool writable;                     /* VOLUME_RAW only */
	char fstype[FSTYPE_SIZE];          /* empty: probed on the proved device */
	char options[VOLUME_OPTIONS_SIZE]; /* the file system's own, with commas between */
};

/* No device, VOLUME_VERITY with verity_params_init()'s values. */
void volume_init(struct volume *v, const char *name, const char *dm_name);

/*
 * Check a volume's parameters once all are in, as verity_params_finish(), of a
 * VOLUME_SUPERBLOCK those that are given; that a FEC device and its roots are
 * given together or not at all; and that no mount option of a proved
 * volume could bring in bytes that its root hash does not cover, such as erofs' device= or xfs'
 * logdev=: only options that are known to be harmless are taken.
 */
int volume_finish(struct volume *v, struct err *e);

#endif
