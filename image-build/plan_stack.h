/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_PLAN_STACK_H
#define IMAGE_BUILD_PLAN_STACK_H

#include <stdbool.h>

#include "image-build/base/option.h"

/* socle-image plan --volume: what socle-volume would do with a description, in a guest. */
struct plan_stack_options {
	const char *file; /* the description, "-" for standard input; NULL: not asked for */
	const char *from; /* its form; NULL: by its content */
	struct option_list devices, sidecars, unverified, directories;
	const char *upper;
};

/* Is something said that counts with a description only? */
bool plan_stack_is_said(const struct plan_stack_options *o);

/*
 * Print the plan of a description, as the guest makes it. -EINVAL with e where the guest
 * would refuse it, FAIL_SYSTEM_CALL_FAILED where a file here cannot be read; *ret_usage is
 * what is wrong with the command, or NULL.
 */
int plan_stack(const struct plan_stack_options *o, bool json, const char **ret_usage,
	       struct err *e);

#endif
