// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * socle-init: PID 1 of an initramfs. It finds the disks that the host attached,
 * proves them with dm-verity, stacks them into a root and becomes the agent.
 */
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "init/log.h"
#include "init/steps.h"
#include "init/watchdog.h"

static const struct step {
	const char *name; /* as in the failure line */
	int (*run)(struct boot *b, struct err *e);
} steps[] = {
	{ "api", step_api },
	{ "plan", step_plan },
	{ "modules", step_modules },
	{ "manifest", step_manifest },
	{ "devices", step_devices },
	{ "verity", step_verity },
	{ "mounts", step_mounts },
	{ "handover", step_handover },
};

/* How long a driver may take to make its device, in milliseconds. */
#define REPORT_WAIT_MS 1000
#define TICK_MS        10

/*
 * The plan decides on everything and so comes first, but the report of its own
 * failure may need a driver that only the next step would have loaded.
 */
static void prepare_report(struct boot *b)
{
	const char *report = b->plan.failure.device;
	struct err ignored;

	if (!b->plan.failure.vsock_port && (!*report || !access(report, F_OK)))
		return;
	(void)step_modules(b, &ignored);
	for (int ms = 0; *report && ms < REPORT_WAIT_MS && access(report, F_OK); ms += TICK_MS)
		(void)poll(NULL, 0, TICK_MS);
}

int main(void)
{
	static struct boot boot;
	struct err e = { 0 };

	if (getpid() != 1) {
		fputs("socle-init is the first program of a guest, /init of its initramfs: "
		      "see socle-init(8).\n", stderr);
		return 2;
	}
	plan_init(&boot.plan);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		watchdog_step(steps[i].name, boot.plan.timeout_s, &boot.plan.failure);
		if (!steps[i].run(&boot, &e))
			continue;
		if (steps[i].run == step_plan)
			prepare_report(&boot);
		log_failure(&boot.plan.failure, steps[i].name, &e);
	}
	return 1;
}
