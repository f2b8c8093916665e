// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/describe/socle.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "lib/array.h"
#include "lib/pairs.h"

/* What a volume has beside its verity parameters and their signature. */
static const struct {
	const char *key;
	size_t offset; /* in struct volume */
} devices[] = {
	{ "device", offsetof(struct volume, data) },
	{ "hash_device", offsetof(struct volume, hash) },
	{ "fec_device", offsetof(struct volume, fec) },
};

int volume_set(struct volume *v, const char *key, const char *value,
	       struct verity_signature_pool *pool, struct err *e)
{
	int r;

	for (size_t i = 0; i < ARRAY_SIZE(devices); i++)
		if (!strcmp(key, devices[i].key))
			return devref_parse(value, (void *)((char *)v + devices[i].offset), e);
	if (!strcmp(key, "fstype"))
		return fstype_parse(value, v->fstype, e);
	if (!strcmp(key, "signature"))
		return verity_signature_parse(value, pool, &v->signature, e);
	r = verity_params_set(&v->verity, key, value, e);
	if (r == -ENOENT)
		return err_set(e, FAIL_KEY_UNKNOWN, EINVAL, "unknown key \"%.40s\" in a layer",
			       key);
	return r;
}

static int set_pairs(struct volume *v, char *text, struct verity_signature_pool *pool,
		     struct err *e)
{
	/* The device has come in front of the list, and comes once. */
	struct pairs pairs = { .rest = text, .count = 1, .seen = { "device" } };
	struct pair pair;
	int r;

	while ((r = pairs_next(&pairs, &pair, e)) > 0) {
		if (!pair.value)
			return err_set(e,
				       !strcmp(pair.key, "root_hash") ? FAIL_ROOT_HASH_MISSING :
									FAIL_VALUE_INVALID,
				       EINVAL, "\"%.40s\" in a layer is not key=value", pair.key);
		r = volume_set(v, pair.key, pair.value, pool, e);
		if (r)
			return r;
	}
	return r;
}

int volume_set_all(struct volume *v, const char *text, struct verity_signature_pool *pool,
		   struct err *e)
{
	char copy[SOCLE_TEXT_SIZE], *rest = copy;
	int r;

	if (strlen(text) >= sizeof(copy))
		return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG, "a layer has more than %d bytes",
			       SOCLE_TEXT_SIZE - 1);
	strcpy(copy, text);
	r = volume_set(v, "device", strsep(&rest, ","), pool, e);
	return r || !rest ? r : set_pairs(v, rest, pool, e);
}
