/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef INIT_PLAN_PLAN_POLICY_H
#define INIT_PLAN_PLAN_POLICY_H

#include "init/plan/plan.h"
#include "mount/policy.h"

/* POLICY_REFUSED where the plan asks for what the policy forbids. Pure. */
int plan_check_policy(const struct boot_plan *plan, const struct policy *policy, struct err *e);

#endif
