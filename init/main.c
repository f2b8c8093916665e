// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * socle-init: PID 1 of an initramfs. It finds the disks that the host attached,
 * proves them with dm-verity, stacks them into a root and becomes the agent.
 */
#include <stdio.h>
#include <unistd.h>

#include "init/tell/crash.h"
#include "init/tell/log.h"
#include "init/steps.h"
#include "init/tell/watchdog.h"
#include "lib/array.h"

static const struct step {
	const char *name; /* as in the failure line */
	int (*run)(struct boot *b, struct err *e);
	void (*before_failure)(struct boot *b); /* what telling that this one failed needs */
} steps[] = {
	{ "api", step_api, NULL },         { "plan", step_plan, step_plan_report },
	{ "modules", step_modules, NULL }, { "manifest", step_manifest, NULL },
	{ "devices", step_devices, NULL }, { "verity", step_verity, NULL },
	{ "mounts", step_mounts, NULL },   { "handover", step_handover, NULL },
};

int main(void)
{
	static struct boot boot;
	static const char *name = "api"; /* of the step that runs */
	const struct plan_failure *failure = &boot.plan.failure;
	struct err e = { 0 };

	if (getpid() != 1) {
		fputs("socle-init is the first program of a guest, /init of its initramfs: "
		      "see socle-init(8).\n",
		      stderr);
		return 2;
	}
	plan_init(&boot.plan);
	crash_catch(failure, &name);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		name = steps[i].name;
		watchdog_step(name, boot.plan.timeout_s, failure);
		if (!steps[i].run(&boot, &e))
			continue;
		/* What the plan says of failures now counts for whoever tells this one. */
		watchdog_step(name, boot.plan.timeout_s, failure);
		if (steps[i].before_failure)
			steps[i].before_failure(&boot);
		log_failure(failure, name, &e);
	}
	return 1;
}
