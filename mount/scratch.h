/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_SCRATCH_H
#define MOUNT_SCRATCH_H

#include "mount/device/search.h"
#include "mount/upper.h"
#include "verity/device.h"

/*
 * A scratch disk: what a guest writes to, made new for each use. Encrypted, it is
 * dm-crypt with a key that only this kernel has ever had, so what is written ends
 * with the guest, or earlier with the mount. The host sees what is written when
 * and where, and may bring back what was there before: a block at its place, or
 * with integrity a block and its tag. Without integrity it may also change what is
 * read to bytes that it cannot choose; with it that is an I/O error.
 *
 *     disk:   mark | dm-integrity (superblock, journal, then tags and data) | dm-crypt
 *     aes-xts-plain64, or with integrity authenc(hmac(sha256),xts(aes)), on sectors
 *     of 4,096 bytes
 *
 * Source: the kernel's Documentation/admin-guide/device-mapper/dm-crypt.rst and
 * dm-integrity.rst.
 */

#define SCRATCH_MIN 33554432 /* bytes of the smallest disk */

struct scratch {
	struct mapped_device device;      /* what is mounted; without a name: the disk itself */
	char integrity[MAPPED_NAME_SIZE]; /* device-mapper's name of the layer below, or empty */
};

/* How many device-mapper devices it takes. */
size_t scratch_devices(const struct upper *u);

/*
 * Refuse a disk on which one of the count devices found for volumes lies as well,
 * whole or in part. SCRATCH_FAILED. Pure.
 */
int scratch_refuse_shared(const struct blockdev *disk, const struct device_wish *wishes,
			  size_t count, struct err *e);

/*
 * Make a scratch disk of an empty disk: "name" (and "name-integrity" below it) with a
 * new key and a new file system. Empty means that its first MiB and its last are all
 * zeros, or that it was a scratch disk before: so a wrong reference destroys nothing.
 * Waits some seconds at the most for the kernel's random numbers. SCRATCH_FAILED,
 * KERNEL_FEATURE_MISSING where the kernel has no such target, and then nothing stays
 * open.
 */
int scratch_open(const struct blockdev *disk, const struct upper *u, const char *name,
		 struct scratch *ret, struct err *e);

/* Mount it, writable, on a directory that exists. */
int scratch_mount(const struct scratch *s, const char *target, struct err *e);

/* Its devices go, with the key, when the last mount of it does. */
int scratch_defer(const struct scratch *s, struct err *e);

/* They go now, or as soon as nobody has them open. */
void scratch_close(const struct scratch *s);

#endif
