/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_VOLUME_H
#define MOUNT_VOLUME_H

#include <stdbool.h>

#include "mount/device/probe.h"
#include "mount/device/search.h"
#include "verity/open.h"

/*
 * A volume: one file system, where it is and what proves it.
 */

enum volume_proof {
	VOLUME_VERITY,     /* dm-verity, every parameter given */
	VOLUME_SUPERBLOCK, /* dm-verity, root hash given, the rest from a superblock */
	VOLUME_RAW,        /* nothing; only where the policy allows it */
};

#define VOLUME_OPTIONS_SIZE 256

struct volume {
	char name[ERR_VOLUME_SIZE];     /* in messages: "layer-0", "root" */
	char dm_name[VERITY_NAME_SIZE]; /* device-mapper's name for it */
	enum volume_proof proof;
	struct devref data;                /* where the file system is */
	struct devref hash;                /* where the tree is; DEVREF_NONE: behind the data */
	struct devref fec;                 /* where the parity is; DEVREF_NONE: nowhere */
	struct verity_params verity;       /* VOLUME_SUPERBLOCK: root hash and FEC only */
	struct verity_signature signature; /* of the root hash; not of a VOLUME_RAW */
	uint64_t superblock_offset_bytes;  /* VOLUME_SUPERBLOCK: on the hash device */
	bool adopt;                        /* the kernel may have opened it already as dm_name */
	bool writable;                     /* VOLUME_RAW only */
	char fstype[FSTYPE_SIZE];          /* empty: probed on the proved device */
	char options[VOLUME_OPTIONS_SIZE]; /* the file system's own, with commas between */
};

/* A volume that may be mounted: proved, or raw as the plan says. */
struct open_volume {
	const struct volume *volume;
	struct verity_params params; /* as they are in the kernel; VOLUME_RAW: unused */
	struct verity_device device; /* VOLUME_RAW: the block device itself, without a name */
};

/* How many devices a volume names; three at the most. */
#define VOLUME_DEVICES_MAX 3

/* No device, VOLUME_VERITY with verity_params_init()'s values. */
void volume_init(struct volume *v, const char *name, const char *dm_name);

/*
 * Check a volume's parameters once all are in, as verity_params_finish(), of a
 * VOLUME_SUPERBLOCK those that are given; that a FEC device and its roots are
 * given together or not at all; and that no mount option of a proved volume
 * could bring in bytes that its root hash does not cover, such as erofs'
 * device= or xfs' logdev=: only options that are known to be harmless are taken.
 */
int volume_finish(struct volume *v, struct err *e);

/* Add the volume's devices to a list of wishes; returns how many there are now. */
size_t volume_wishes(const struct volume *v, struct device_wish *wishes, size_t count);

/*
 * Open the verity device of a volume and prove it. wishes are the volume's own,
 * found, in volume_wishes()'s order. Device sizes are checked before the kernel
 * sees a table (DEVICE_TOO_SMALL), and a signature in a file is read before.
 * A raw volume is opened by nothing.
 */
int volume_open(const struct volume *v, const struct device_wish *wishes, int uevents,
		struct open_volume *ret, struct err *e);

/*
 * As verity_diagnose(): 1 where the kernel met a bad block of this volume, and e
 * says so with the volume's name; 0 with e untouched.
 */
int volume_diagnose(const struct open_volume *o, int uevents, struct err *e);

/*
 * As verity_arm(), with the volume's name in e; nothing for a raw volume. A
 * signature in a file is read once more, so the file must still be there.
 */
int volume_arm(const struct open_volume *o, enum verity_corruption policy, struct err *e);

/*
 * Mount an open volume on a directory that exists. What is mounted is the
 * device that volume_open() made, by its number. as_root: device nodes and
 * set-user-id programs count, as in the root of a system.
 */
int volume_mount(const struct open_volume *o, const char *target, bool as_root, struct err *e);

#endif
