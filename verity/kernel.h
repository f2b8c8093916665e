/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef VERITY_KERNEL_H
#define VERITY_KERNEL_H

#include "lib/err.h"

/*
 * Does the running kernel have what a verity device needs? Asked before anything
 * is opened, because device-mapper's own answer is a bare errno.
 * KERNEL_FEATURE_MISSING names the configuration option.
 */
int verity_kernel_check(struct err *e);

/*
 * The kernel has no such hash, as it said itself: there is no asking before the
 * table is loaded. Always KERNEL_FEATURE_MISSING.
 */
int verity_kernel_lacks_hash(const char *hash_name, struct err *e);

/* As verity_kernel_check(), of what a signed root hash needs; sysfs is a descriptor of /sys. */
int verity_kernel_check_signatures(int sysfs, struct err *e);

#endif
