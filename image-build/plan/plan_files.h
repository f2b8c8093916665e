/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_PLAN_PLAN_FILES_H
#define IMAGE_BUILD_PLAN_PLAN_FILES_H

#include <stdbool.h>

#include "image-build/plan/line.h"
#include "image-build/tree/tree.h"
#include "init/plan/plan.h"

/* What a guest makes its plan of, as far as it is at hand on the build machine. */
struct plan_inputs {
	const char *cmdline; /* NULL: nobody knows it yet */
	const char *arch;    /* whose kernels cut it, of kernel_arch_name(); NULL: this machine's */
	const struct launch *launch;  /* who hands it over; NULL: someone who adds nothing */
	const char *policy;           /* a file; NULL: the strict defaults */
	const char *manifest;         /* a file; NULL: none */
	const struct tree *initramfs; /* which is being packed, the manifest with it; or NULL */
	bool agent_in_initramfs;      /* where initramfs is NULL */
};

/* How far it came. */
struct plan_progress {
	const char *step; /* the guest's step that was the last */
	/*
	 * false where there is no command line, or the manifest that it names is not at
	 * hand: the plan is then only begun, not settled, nor held against the policy.
	 */
	bool whole;
};

/*
 * Make the plan as the guest would, and refuse what it would refuse, with its step,
 * its codes and its words; FAIL_SYSTEM_CALL_FAILED is this machine's, of a file here
 * that cannot be read. A manifest is the initramfs' where that is given or the line
 * names none, else the disk's. On failure plan is what could be read.
 */
int plan_from_files(const struct plan_inputs *in, struct boot_plan *plan, struct plan_progress *ret,
		    struct err *e);

#endif
