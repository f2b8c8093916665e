/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef INIT_STEPS_H
#define INIT_STEPS_H

#include "init/plan/plan.h"
#include "init/plan/policy.h"

/*
 * The steps of a boot, in the order in which init/main.c runs them. Each does
 * its part of the plan or fails with a sentence; none of them logs a failure.
 */

struct boot {
	struct boot_plan plan;
	struct device_search search;
	struct policy policy;
	struct device_wish wishes[PLAN_VOLUMES_MAX * VOLUME_DEVICES_MAX];
	size_t first_wish[PLAN_VOLUMES_MAX];       /* a volume's own wishes start here */
	struct open_volume open[PLAN_VOLUMES_MAX]; /* in plan_volume()'s order: layers first */
	size_t open_count;
};

int step_api(struct boot *b, struct err *e);
int step_plan(struct boot *b, struct err *e);
int step_modules(struct boot *b, struct err *e);
int step_manifest(struct boot *b, struct err *e);
int step_devices(struct boot *b, struct err *e);
int step_verity(struct boot *b, struct err *e);
int step_mounts(struct boot *b, struct err *e);
int step_handover(struct boot *b, struct err *e); /* returns on failure only */

/* The plan has failed: make ready what tells it, best effort. */
void step_plan_report(struct boot *b);

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

/* Where the new root is put together; directories of the initramfs. */
#define BOOT_SYSROOT "/sysroot"
#define BOOT_LAYERS  "/layers"
#define BOOT_UPPER   "/upper"

/* Where Kata looks for its extensions; /run goes along into the new root. */
#define BOOT_EXTENSIONS "/run/kata-extensions"

#endif
