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

/*
 * A file system of this type, whose device starts with these bytes, was refused
 * with r (negative) and the sentence in e. If it is compressed in a way that a
 * kernel may lack and that is how the kernel says so, the failure becomes
 * KERNEL_FEATURE_MISSING and the sentence names the options. Returns r.
 */
int kernel_explain_mount(const char *type, const uint8_t *start, size_t size, int r, struct err *e);

#endif
