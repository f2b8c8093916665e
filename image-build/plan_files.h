/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_PLAN_FILES_H
#define IMAGE_BUILD_PLAN_FILES_H

#include "init/policy.h"

/* What a guest makes its plan of, read on the build machine as the guest will read it. */

/*
 * A command line, which the kernels of arch ("x86_64", NULL: this machine's) cut
 * at a length of their own. Not reentrant, as plan_parse().
 */
int plan_cmdline(const char *cmdline, const char *arch, struct boot_plan *plan, struct err *e);

int plan_policy_file(const char *path, struct policy *ret, struct err *e);

/* Into a plan that has been parsed from a command line, an empty one perhaps. */
int plan_manifest_file(const char *path, struct boot_plan *plan, struct err *e);

#endif
