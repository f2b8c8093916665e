/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef VERITY_KERNEL_H
#define VERITY_KERNEL_H

#include "lib/err.h"

/*
 * Does the running kernel have what a verity device with this hash needs?
 * Asked before anything is opened, because device-mapper's own answer is a bare
 * EINVAL. KERNEL_FEATURE_MISSING names the configuration option.
 */
int verity_kernel_check(const char *hash_name, struct err *e);

/* The same of what a signed root hash needs; sysfs is a descriptor of /sys. */
int verity_kernel_check_signatures(int sysfs, struct err *e);

#endif
