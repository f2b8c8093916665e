// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "init/plan/dialect.h"

#include <errno.h>
#include <string.h>

#include "lib/text.h"

int plan_claim(struct boot_plan *plan, const char *dialect, struct err *e)
{
	if (plan->dialect)
		return err_set(e, FAIL_ROOT_AMBIGUOUS, EINVAL, "both %s and %s give a root",
			       plan->dialect, dialect);
	plan->dialect = dialect;
	if (plan->root != PLAN_ROOT_TMPFS)
		plan->root = PLAN_ROOT_LAYERS;
	return 0;
}

int plan_claim_root(struct boot_plan *plan, const char *dialect, const char *dm_name,
		    struct volume **ret, struct err *e)
{
	int r = plan_claim(plan, dialect, e);

	if (r)
		return r;
	if (!plan->given.upper)
		plan->upper.kind = UPPER_NONE;
	plan->layers = 1;
	volume_init(&plan->layer[0], "root", dm_name);
	*ret = &plan->layer[0];
	return 0;
}

int dialect_copy(char *to, size_t size, const char *key, const char *value, struct err *e)
{
	if (strlen(value) >= size)
		return err_set(e, FAIL_VALUE_INVALID, E2BIG, "%s= is limited to %zu bytes", key,
			       size - 1);
	strcpy(to, value);
	return 0;
}

bool dialect_is_path(const char *path)
{
	return strlen(path) < PLAN_PATH_SIZE && text_is_path(path);
}
