// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "init/plan/plan_layer.h"

#include <errno.h>
#include <stdio.h>

#include "mount/describe/socle.h"

int layer_begin(struct boot_plan *plan, struct volume **ret, struct err *e)
{
	char name[ERR_VOLUME_SIZE], dm_name[MAPPED_NAME_SIZE];

	if (plan->layers == LAYERS_MAX)
		return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG, "there are more than %d layers",
			       LAYERS_MAX);
	*ret = &plan->layer[plan->layers];
	snprintf(name, sizeof(name), "layer-%zu", plan->layers++);
	snprintf(dm_name, sizeof(dm_name), "socle-%s", name);
	volume_init(*ret, name, dm_name);
	return 0;
}

static struct verity_signature_pool pool_of(struct boot_plan *plan)
{
	return (struct verity_signature_pool){
		.bytes = plan->signatures,
		.size = sizeof(plan->signatures),
		.used = plan->signatures_used,
	};
}

int layer_set(struct boot_plan *plan, struct volume *v, const char *key, const char *value,
	      struct err *e)
{
	struct verity_signature_pool pool = pool_of(plan);
	int r = volume_set(v, key, value, &pool, e);

	plan->signatures_used = pool.used;
	return r;
}

int layer_set_all(struct boot_plan *plan, struct volume *v, const char *text, struct err *e)
{
	struct verity_signature_pool pool = pool_of(plan);
	int r = volume_set_all(v, text, &pool, e);

	plan->signatures_used = pool.used;
	return r;
}
