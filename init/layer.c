// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "init/layer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "init/dialect.h"

int layer_begin(struct boot_plan *plan, struct volume **ret, struct err *e)
{
	char name[ERR_VOLUME_SIZE], dm_name[VERITY_NAME_SIZE];

	if (plan->layers == PLAN_LAYERS_MAX)
		return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG, "there are more than %d layers",
			       PLAN_LAYERS_MAX);
	*ret = &plan->layer[plan->layers];
	snprintf(name, sizeof(name), "layer-%zu", plan->layers++);
	snprintf(dm_name, sizeof(dm_name), "socle-%s", name);
	volume_init(*ret, name, dm_name);
	return 0;
}

int layer_set(struct volume *v, const char *key, const char *value, struct err *e)
{
	int r;

	if (!strcmp(key, "device"))
		return devref_parse(value, &v->data, e);
	if (!strcmp(key, "hash_device"))
		return devref_parse(value, &v->hash, e);
	if (!strcmp(key, "fec_device"))
		return devref_parse(value, &v->fec, e);
	if (!strcmp(key, "fstype"))
		return dialect_fstype(v->fstype, value, e);
	if (!strcmp(key, "signature"))
		return verity_signature_parse(value, &v->signature, e);
	r = verity_params_set(&v->verity, key, value, e);
	if (r == -ENOENT)
		return err_set(e, FAIL_KEY_UNKNOWN, EINVAL, "a layer has no key \"%.40s\"", key);
	return r;
}

int layer_finish(struct volume *v, struct err *e)
{
	if (v->data.kind == DEVREF_NONE)
		return err_set(e, FAIL_VALUE_INVALID, EINVAL, "the layer names no device");
	return volume_finish(v, e);
}
