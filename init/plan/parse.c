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

static int take(const struct cmdline_param *param, struct line_keys *keys, struct boot_plan *plan,
		struct err *e)
{
	int r = 0;

	for (size_t i = 0; !r && i < ARRAY_SIZE(dialects); i++)
		r = dialects[i]->take(param, keys, plan, e);
	return r;
}

/*
 * Every parameter is taken even after one was refused: the first failure is
 * the one that is told, and how to tell it may stand behind it.
 */
static int take_all(char *cmdline, struct line_keys *keys, struct boot_plan *plan, struct err *e)
{
	struct cmdline_param param;
	struct err later;
	int first = 0;

	while (cmdline_next(&cmdline, &param)) {
		int r = take(&param, keys, plan, first ? &later : e);

		if (!first)
			first = r;
	}
	return first;
}

static int finish_all(struct line_keys *keys, struct boot_plan *plan, struct err *e)
{
	int r = 0;

	for (size_t i = 0; !r && i < ARRAY_SIZE(dialects); i++)
		if (dialects[i]->finish)
			r = dialects[i]->finish(keys, plan, e);
	return r;
}

int plan_parse(char *cmdline, size_t limit, struct boot_plan *plan, struct err *e)
{
	struct line_keys keys = { 0 };
	size_t length = strlen(cmdline);
	struct err later;
	int r;

	plan_init(plan);
	if (!limit || length < limit) {
		r = take_all(cmdline, &keys, plan, e);
		/* Of a word that was cut in two, its other half is the reason. */
		if (!r || socle_words_lost(&keys.socle))
			r = socle_words_check(&keys.socle, e);
		return r ? r : finish_all(&keys, plan, e);
	}
	(void)take_all(cmdline, &keys, plan, &later);
	return err_set(e, FAIL_CMDLINE_TRUNCATED, E2BIG,
		       "the command line has %zu bytes and the kernel cuts it at %zu", length,
		       limit);
}
