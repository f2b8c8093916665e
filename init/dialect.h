/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef INIT_DIALECT_H
#define INIT_DIALECT_H

#include "init/cmdline.h"
#include "init/plan.h"

/*
 * A dialect is a family of command-line keys. It looks at one parameter after
 * the other and fills the plan; a new one is a file of its own and a row in
 * init/plan_parse.c.
 */
struct dialect {
	const char *name;
	/* 0: not a key of this dialect, or taken; an error refuses the boot. */
	int (*take)(const struct cmdline_param *param, struct boot_plan *plan, struct err *e);
	/* After the last parameter; forgets what take() remembered. */
	int (*finish)(struct boot_plan *plan, struct err *e);
};

extern const struct dialect dialect_socle;

#endif
