// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include <errno.h>
#include <string.h>

#include "init/plan/dialect.h"
#include "lib/array.h"

/* In the order in which they finish: whoever claims the root first has it. */
static const struct dialect *const dialects[] = {
	&dialect_socle,    &dialect_dm_create, &dialect_rootfs_verity, &dialect_systemd,
	&dialect_volatile, &dialect_extension, &dialect_root,
};

static int take(const struct cmdline_param *param, struct boot_plan *plan, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(dialects); i++) {
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

/* All of them, even after a failure: each forgets its line. */
static int finish_all(struct boot_plan *plan, struct err *e)
{
	struct err later;
	int first = 0;

	for (size_t i = 0; i < ARRAY_SIZE(dialects); i++) {
		int r = dialects[i]->finish(plan, first ? &later : e);

		if (!first)
			first = r;
	}
	return first;
}

int plan_parse(char *cmdline, size_t limit, struct boot_plan *plan, struct err *e)
{
	size_t length = strlen(cmdline);
	struct err later;
	int r = 0, finished;

	plan_init(plan);
	if (limit && length >= limit)
		r = err_set(e, FAIL_CMDLINE_TRUNCATED, E2BIG,
			    "the command line has %zu bytes and the kernel cuts it at %zu", length,
			    limit);
	if (r)
		(void)take_all(cmdline, plan, &later);
	else
		r = take_all(cmdline, plan, e);
	finished = finish_all(plan, r ? &later : e);
	return r ? r : finished;
}
