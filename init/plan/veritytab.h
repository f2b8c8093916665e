/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef INIT_PLAN_VERITYTAB_H
#define INIT_PLAN_VERITYTAB_H

#include "init/plan/plan.h"

/*
 * The options of one verity device as systemd.verity_root_options= has them. Pure.
 *
 * Source: veritytab(5).
 */

/*
 * Into a volume, which the caller finishes, and into the plan what shall happen on
 * corruption. An option that is not known or weakens verification is refused:
 * VALUE_INVALID. text is written to.
 */
int veritytab_options(char *text, struct boot_plan *plan, struct volume *v, struct err *e);

#endif
