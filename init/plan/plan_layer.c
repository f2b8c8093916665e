// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "init/plan/plan_layer.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "init/plan/dialect.h"
#include "lib/array.h"

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

static int set_device(void *to, const char *value, struct err *e)
{
	return devref_parse(value, to, e);
}

static int set_fstype(void *to, const char *value, struct err *e)
{
	return dialect_fstype(to, value, e);
}

static int set_signature(void *to, const char *value, struct err *e)
{
	return verity_signature_parse(value, to, e);
}

/* What a layer has beside its verity parameters. */
static const struct {
	const char *key;
	size_t offset; /* in struct volume */
	int (*set)(void *to, const char *value, struct err *e);
} keys[] = {
	{ "device", offsetof(struct volume, data), set_device },
	{ "hash_device", offsetof(struct volume, hash), set_device },
	{ "fec_device", offsetof(struct volume, fec), set_device },
	{ "fstype", offsetof(struct volume, fstype), set_fstype },
	{ "signature", offsetof(struct volume, signature), set_signature },
};

int layer_set(struct volume *v, const char *key, const char *value, struct err *e)
{
	int r;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (!strcmp(key, keys[i].key))
			return keys[i].set((char *)v + keys[i].offset, value, e);
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
