// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "init/plan/plan_policy.h"

int plan_check_policy(const struct boot_plan *plan, const struct policy *policy, struct err *e)
{
	const struct volume *v;
	int r = 0;

	for (size_t i = 0; !r && (v = plan_volume(plan, i)); i++)
		r = policy_check_volume(policy, v, e);
	if (!r)
		r = policy_check_upper(policy, &plan->upper, e);
	return r ? r : policy_check_corruption(policy, plan->on_corruption, e);
}
