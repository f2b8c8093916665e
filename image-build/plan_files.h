/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_PLAN_FILES_H
#define IMAGE_BUILD_PLAN_FILES_H

#include "init/policy.h"

/* The policy and the manifest of an initramfs, read as the guest will read them. */

int plan_policy_file(const char *path, struct policy *ret, struct err *e);

/* Into a plan that has been parsed from a command line, an empty one perhaps. */
int plan_manifest_file(const char *path, struct boot_plan *plan, struct err *e);

#endif
