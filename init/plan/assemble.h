/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef INIT_PLAN_ASSEMBLE_H
#define INIT_PLAN_ASSEMBLE_H

#include <sys/types.h>

#include "init/plan/plan.h"
#include "mount/policy.h"

/*
 * The one order in which a plan is made, in the guest as on the build machine:
 * the command line, the policy, the manifest in the initramfs; a manifest on a
 * disk, which comes when there are disks; then what the root is, and whether
 * the policy allows it all. Pure.
 */

/* The guest's steps in which that happens, as its failure line names them. */
#define ASSEMBLE_STEP_PLAN     "plan"
#define ASSEMBLE_STEP_MANIFEST "manifest"

/* A text, and what reading it came to. */
struct plan_source {
	const char *name; /* the guest's file */
	char *text;       /* is written to, and has a closing NUL; NULL: there is none */
	ssize_t size;     /* bytes of text without the NUL, or -errno: it could not be read */
	size_t size_max;  /* and what stands in it at the most */
};

/* What is at hand before there are disks. */
struct plan_sources {
	struct plan_source line, policy, packed; /* packed: MANIFEST_FILE */
	size_t line_limit;                       /* of cmdline_limit() */
};

/*
 * Begin a plan. Where plan->manifest.digest_size is not 0 afterwards, its
 * manifest is on a disk. A source that could not be read is told in its turn, so
 * that the line has said how. The plan's failure counts after a failure, too.
 */
int assemble_begin(const struct plan_sources *sources, struct boot_plan *plan,
		   struct policy *policy, struct err *e);

/* DEVICE_TOO_SMALL where the disk cannot hold the manifest. */
int assemble_check_disk(const struct boot_plan *plan, uint64_t disk_bytes, struct err *e);

/* The first bytes of that disk, as many as the plan says, a NUL behind them; their SHA-256. */
int assemble_take_disk(struct boot_plan *plan, const char *text, const uint8_t sha256[32],
		       struct err *e);

/* All is in: decide what the root is and ask the policy. */
int assemble_end(struct boot_plan *plan, const struct policy *policy, bool agent_in_initramfs,
		 struct err *e);

#endif
