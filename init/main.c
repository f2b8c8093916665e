// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * socle-init: PID 1 of an initramfs. It finds the disks that the host attached,
 * proves them with dm-verity, stacks them into a root and becomes the agent.
 */
#include <stdio.h>
#include <unistd.h>

#include "init/steps.h"
#include "init/tell/crash.h"
#include "init/tell/leave.h"
#include "init/tell/report.h"
#include "init/tell/watchdog.h"
#include "lib/array.h"

static const struct step {
	const char *name; /* as in the failure line */
	int (*run)(struct boot *b, struct err *e);
	int (*before_report)(struct boot *b, struct err *e); /* what its failure may need */
} steps[] = {
	{ "api", step_api, NULL },
	{ "initramfs", step_initramfs, NULL },
	/* The plan decides on everything and so comes early, but a report needs its driver. */
	{ "plan", step_plan, step_modules },
	{ "modules", step_modules, NULL },
	{ "manifest", step_manifest, NULL },
	{ "devices", step_devices, NULL },
	{ "verity", step_verity, NULL },
	{ "mounts", step_mounts, NULL },
	{ "handover", step_handover, NULL },
};

_Noreturn static void fail(const struct step *step, struct boot *b, const struct err *e)
{
	const struct plan_failure *failure = &b->plan.failure;
	struct err ignored;

	/* What the plan says of failures now counts for whoever tells this one. */
	watchdog_step(step->name, b->plan.timeout_s, failure);
	if (step->before_report && report_needs_driver(failure)) {
		(void)step->before_report(b, &ignored);
		report_await(failure);
	}
	watchdog_stop();
	leave(failure, step->name, e);
}

int main(void)
{
	static struct boot boot;
	static const char *name = "api"; /* of the step that runs */
	struct err e = { 0 };

	if (getpid() != 1) {
		fputs("socle-init is the first program of a guest, /init of its initramfs: "
		      "see socle-init(8).\n",
		      stderr);
		return 2;
	}
	plan_init(&boot.plan);
	crash_catch(&boot.plan.failure, &name);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		name = steps[i].name;
		watchdog_step(name, boot.plan.timeout_s, &boot.plan.failure);
		if (steps[i].run(&boot, &e))
			fail(&steps[i], &boot, &e);
	}
	return 1;
}
