/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_FS_EXPLAIN_H
#define MOUNT_FS_EXPLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

/*
 * What the running kernel lacks when it refuses a mount. Its answer is a bare
 * errno; an operator needs the name of an option. Which options socle needs, and
 * what is lost without them, stands in kernel-config/features.def; `make check`
 * proves that what is named here is known there.
 */

/* There is no file system of this type. Always -ENODEV, KERNEL_FEATURE_MISSING. */
int kernel_lacks_fstype(const char *type, struct err *e);

/* Bytes of the start of a device that tell how its file system is compressed. */
#define KERNEL_START_SIZE 2048

struct refused_mount {
	const char *type;
	const char *device;   /* its name in the kernel's log, "dm-0" */
	uint32_t block_size;  /* bytes of its verity blocks; 0: it has none */
	const uint8_t *start; /* what the device starts with */
	size_t size;          /* bytes of that, up to KERNEL_START_SIZE; 0: unknown */
};

/*
 * A mount was refused with r (negative) and the sentence in e; why? Smaller
 * blocks than the device's: VERITY_PARAMS_INVALID, with both sizes. A compression
 * that a kernel may lack, where that is how the kernel says so:
 * KERNEL_FEATURE_MISSING, with the options. A feature of an erofs that came later than
 * this kernel: the same, with the version. The last thing that the kernel's
 * log says about the device is put behind this or the old sentence, and if that is about a
 * feature, it is KERNEL_FEATURE_MISSING as well. Returns r.
 */
int kernel_explain_mount(const struct refused_mount *m, int r, struct err *e);

#endif
