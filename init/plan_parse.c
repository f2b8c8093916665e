// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include <errno.h>
#include <string.h>

#include "init/dialect.h"

static const struct dialect *const dialects[] = {
	&dialect_socle,
};

#define DIALECTS (sizeof(dialects) / sizeof(dialects[0]))

void plan_init(struct boot_plan *plan)
{
	memset(plan, 0, sizeof(*plan));
	strcpy(plan->agent, "/sbin/init");
	plan->timeout_s = 10;
}

static int take(const struct cmdline_param *param, struct boot_plan *plan, struct err *e)
{
	for (size_t i = 0; i < DIALECTS; i++) {
		int r = dialects[i]->take(param, plan, e);

		if (r)
			return r;
	}
	return 0;
}

/*
 * Every parameter is taken even after one was refused: the first failure is
 * the one that is told, and how to tell it may stand behind it.
 */
static int take_all(char *cmdline, struct boot_plan *plan, struct err *e)
{
	struct cmdline_param param;
	struct err later;
	int first = 0;

	while (cmdline_next(&cmdline, &param)) {
		int r = take(&param, plan, first ? &later : e);

		if (!first)
			first = r;
	}
	return first;
}

int plan_parse(char *cmdline, struct boot_plan *plan, struct err *e)
{
	size_t length = strlen(cmdline), limit = cmdline_limit();
	struct err later;
	int r = 0;

	plan_init(plan);
	if (limit && length >= limit)
		r = err_set(e, FAIL_CMDLINE_TRUNCATED, E2BIG,
			    "the command line has %zu bytes and the kernel cuts it at %zu", length,
			    limit);
	if (!r)
		r = take_all(cmdline, plan, e);
	else
		(void)take_all(cmdline, plan, &later);
	for (size_t i = 0; i < DIALECTS; i++) {
		int failed = dialects[i]->finish(plan, r ? &later : e);

		if (!r)
			r = failed;
	}
	return r;
}
