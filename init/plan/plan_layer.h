/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef INIT_PLAN_PLAN_LAYER_H
#define INIT_PLAN_PLAN_LAYER_H

#include "init/plan/plan.h"

/*
 * One layer of our own: begun, given its keys in any order, and finished with
 * volume_finish(). The command line and the manifest say the same in two forms.
 * Pure.
 */

/* The next layer of the plan, below those that it has; LIMIT_EXCEEDED. */
int layer_begin(struct boot_plan *plan, struct volume **ret, struct err *e);

/* volume_set() and volume_set_all() of mount/describe/socle.h, for a volume of the plan. */
int layer_set(struct boot_plan *plan, struct volume *v, const char *key, const char *value,
	      struct err *e);
int layer_set_all(struct boot_plan *plan, struct volume *v, const char *text, struct err *e);

#endif
