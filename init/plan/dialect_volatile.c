// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * systemd.volatile=: a root that forgets, whichever dialect gives it.
 *
 * Source: kernel-command-line(7), systemd-volatile-root(8).
 */
#include <errno.h>
#include <string.h>

#include "init/plan/dialect.h"
#include "init/plan/systemd_bool.h"

#define KEY "systemd.volatile"

static int take(const struct cmdline_param *param, struct line_keys *keys, struct boot_plan *plan,
		struct err *e)
{
	(void)plan;
	if (strcmp(param->key, KEY))
		return 0;
	/* The key alone switches it on. */
	return dialect_copy(keys->volatile_mode, sizeof(keys->volatile_mode), KEY,
			    param->value ? param->value : "yes", e);
}

static int finish(struct line_keys *keys, struct boot_plan *plan, struct err *e)
{
	const char *mode = keys->volatile_mode;

	if (!*mode || systemd_is_no(mode))
		return 0;
	if (!strcmp(mode, "state")) {
		plan->state_tmpfs = true;
	} else if (!strcmp(mode, "overlay")) {
		if (!plan->given.upper) {
			plan->given.upper = true;
			plan->upper.kind = UPPER_TMPFS;
			strcpy(plan->upper.size, "25%");
		}
	} else if (systemd_is_yes(mode)) {
		plan->root = PLAN_ROOT_TMPFS;
	} else {
		return err_set(e, FAIL_VALUE_INVALID, EINVAL,
			       KEY "=%s is not yes, no, state or overlay", mode);
	}
	return 0;
}

const struct dialect dialect_volatile = { .name = KEY "=", .take = take, .finish = finish };
