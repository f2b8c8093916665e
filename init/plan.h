/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef INIT_PLAN_H
#define INIT_PLAN_H

#include <stdio.h>

#include "mount/volume.h"

/*
 * The boot plan: everything that socle-init will do, as a plain value. Parsing
 * makes it, steps follow it, and tests compare it as text.
 */

#define PLAN_LAYERS_MAX  127 /* OVERLAY_LOWER_MAX; devices stay below BLOCKDEV_MAX */
#define PLAN_PATH_SIZE   256 /* the agent's path and the report's, with the NUL */
#define PLAN_SIZE_SIZE   24  /* a tmpfs size: "50%", "512m" */
#define PLAN_TIMEOUT_MAX 3600 /* seconds */

enum plan_upper {
	PLAN_UPPER_TMPFS, /* the default */
	PLAN_UPPER_NONE,
};

enum plan_on_failure {
	PLAN_ON_FAILURE_POWEROFF, /* the default */
	PLAN_ON_FAILURE_REBOOT,
	PLAN_ON_FAILURE_PANIC,
	PLAN_ON_FAILURE_HALT,
};

struct boot_plan {
	size_t layers;                         /* how many */
	struct volume layer[PLAN_LAYERS_MAX];  /* topmost first */
	enum plan_upper upper;
	char upper_size[PLAN_SIZE_SIZE];       /* empty: the kernel's default, half of memory */
	char agent[PLAN_PATH_SIZE];            /* absolute, inside of the new root */
	unsigned int timeout_s;                /* for all devices together */
	enum plan_on_failure on_failure;
	enum verity_corruption on_corruption;
	char report[PLAN_PATH_SIZE];           /* a character device, or empty */
};

/* No layer, tmpfs, /sbin/init, 10 s, power off, panic, no report. */
void plan_init(struct boot_plan *plan);

/*
 * Fill a plan from the text of a command line, which is taken apart in place.
 * The line is read to its end even after a failure, so that on_failure and
 * report, wherever they stand, count for a failure of the line itself.
 */
int plan_parse(char *cmdline, struct boot_plan *plan, struct err *e);

/* The plan as text, one fact a line, the same on every machine. */
void plan_print(const struct boot_plan *plan, FILE *to);

#endif
