// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * root=/dev/vda1 rootfs_verity.scheme=dm-verity rootfs_verity.hash=: Kata until
 * 3.26 and Microsoft's fork. The tree is in partition 2 of the same disk, behind
 * a superblock, which holds all that the line does not.
 */
#include <errno.h>
#include <string.h>

#include "init/plan/dialect.h"

static int take_key(const struct cmdline_param *param, bool *is_given, char *to, size_t size,
		    struct err *e)
{
	if (*is_given)
		return err_set(e, FAIL_KEY_REPEATED, EINVAL, "%s= is specified twice", param->key);
	*is_given = true;
	return dialect_copy(to, size, param->key, param->value ? param->value : "", e);
}

static int take(const struct cmdline_param *param, struct line_keys *line, struct boot_plan *plan,
		struct err *e)
{
	struct rootfs_verity_keys *keys = &line->rootfs_verity;

	(void)plan;
	if (!strcmp(param->key, "rootfs_verity.scheme"))
		return take_key(param, &keys->scheme_given, keys->scheme, sizeof(keys->scheme), e);
	if (!strcmp(param->key, "rootfs_verity.hash"))
		return take_key(param, &keys->hash_given, keys->hash, sizeof(keys->hash), e);
	return 0;
}

static int claim(const struct line_keys *line, struct boot_plan *plan, struct err *e)
{
	const struct rootfs_verity_keys *keys = &line->rootfs_verity;
	struct volume *v;
	int r = plan_claim_root(plan, dialect_rootfs_verity.name, "root", &v, e);

	if (r)
		return r;
	if (strcmp(keys->scheme, "dm-verity"))
		return err_set(e, FAIL_VALUE_INVALID, EINVAL,
			       "rootfs_verity.scheme=%s is not dm-verity", keys->scheme);
	if (!line->root.root[0])
		return err_set(e, FAIL_VALUE_INVALID, EINVAL,
			       "rootfs_verity.hash= is given without root=");
	v->proof = VOLUME_SUPERBLOCK;
	root_keys_apply(&line->root, v);
	r = verity_params_set(&v->verity, "root_hash", keys->hash, e);
	if (r)
		return err_prefix(e, r, "rootfs_verity.hash=: ");
	r = volume_finish(v, e);
	if (!r)
		r = devref_parse(line->root.root, &v->data, e);
	if (r)
		return r;
	v->hash = v->data;
	v->hash.partition = 2;
	v->hash.partition_offset = 0;
	return 0;
}

static int finish(struct line_keys *line, struct boot_plan *plan, struct err *e)
{
	const struct rootfs_verity_keys *keys = &line->rootfs_verity;

	return keys->scheme_given || keys->hash_given ? claim(line, plan, e) : 0;
}

const struct dialect dialect_rootfs_verity = {
	.name = "rootfs_verity.hash=",
	.take = take,
	.finish = finish,
};
