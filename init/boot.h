/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef INIT_BOOT_H
#define INIT_BOOT_H

#include "init/plan/plan.h"
#include "mount/open.h"
#include "mount/policy.h"
#include "mount/scratch.h"

/*
 * One boot: what its steps hand to each other, and what more than one of them
 * does. A step may call this file, and no other step.
 */

struct boot {
	struct boot_plan plan;
	struct device_search search;
	struct policy policy;
	/* The volumes', and the last one the scratch disk's, where there is one. */
	struct device_wish wishes[PLAN_VOLUMES_MAX * VOLUME_DEVICES_MAX + 1];
	struct device_wish *scratch_wish;
	size_t first_wish[PLAN_VOLUMES_MAX];       /* a volume's own wishes start here */
	struct open_volume open[PLAN_VOLUMES_MAX]; /* in plan_volume()'s order: layers first */
	size_t open_count;
	struct scratch scratch; /* where plan.upper is a disk */
};

/* Where the new root is put together; directories of the initramfs. */
#define BOOT_SYSROOT "/sysroot"
#define BOOT_LAYERS  "/layers"
#define BOOT_UPPER   "/upper"

/* Where Kata looks for its extensions; /run goes along into the new root. */
#define BOOT_EXTENSIONS "/run/kata-extensions"

/*
 * The plan is complete: decide what the root is and ask the policy. The last
 * thing that happens to a plan, wherever its last part came from.
 */
int boot_settle(struct boot *b, struct err *e);

/*
 * After a failure above the verity devices: if the kernel saw a block that does
 * not match on one of them, that is the failure. Returns r, or -EBADMSG.
 */
int boot_diagnose(struct boot *b, int r, struct err *e);

#endif
