// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * The kernel's own keys about the root. Where no other dialect gives one, root=
 * names a file system that nothing proves, and the policy has to allow that.
 */
#include <errno.h>
#include <string.h>

#include "init/plan/dialect.h"
#include "lib/parse.h"

struct root_keys root_keys;

/* The kernel takes a list of types and tries each; the probe does as well. */
static int take_fstype(const char *value, struct err *e)
{
	root_keys.fstype[0] = '\0';
	return strchr(value, ',') ? 0 : dialect_fstype(root_keys.fstype, value, e);
}

/* rootwait without a number waits for ever in the kernel; here the limit stays. */
static void take_wait(struct boot_plan *plan, const char *value)
{
	uint64_t seconds;

	if (!plan->given.timeout && !parse_u64(value, PLAN_TIMEOUT_MAX, &seconds) && seconds)
		plan->timeout_s = (unsigned int)seconds;
}

static int take_value(const char *key, const char *value, struct boot_plan *plan, struct err *e)
{
	if (!strcmp(key, "root"))
		return dialect_copy(root_keys.root, sizeof(root_keys.root), key, value, e);
	if (!strcmp(key, "rootfstype"))
		return take_fstype(value, e);
	if (!strcmp(key, "rootflags"))
		return dialect_copy(root_keys.flags, sizeof(root_keys.flags), key, value, e);
	if (!strcmp(key, "init"))
		return dialect_copy(root_keys.init, sizeof(root_keys.init), key, value, e);
	if (!strcmp(key, "rootwait"))
		take_wait(plan, value);
	return 0;
}

static int take(const struct cmdline_param *param, struct boot_plan *plan, struct err *e)
{
	if (param->value)
		return take_value(param->key, param->value, plan, e);
	if (!strcmp(param->key, "ro"))
		root_keys.writable = false;
	else if (!strcmp(param->key, "rw"))
		root_keys.writable = true;
	return 0;
}

void root_keys_apply(struct volume *v)
{
	strcpy(v->fstype, root_keys.fstype);
	strcpy(v->options, root_keys.flags);
}

/* What is written goes elsewhere: systemd.volatile=, or an upper of ours. */
static bool is_volatile(const struct boot_plan *plan)
{
	return plan->state_tmpfs || plan->root == PLAN_ROOT_TMPFS ||
	       plan->upper == PLAN_UPPER_TMPFS;
}

static int claim(struct boot_plan *plan, struct err *e)
{
	struct volume *v;
	int r = plan_claim_root(plan, dialect_root.name, "", &v, e);

	if (!r)
		r = devref_parse(root_keys.root, &v->data, e);
	if (r)
		return r;
	v->proof = VOLUME_RAW;
	v->writable = root_keys.writable && !is_volatile(plan);
	root_keys_apply(v);
	return 0;
}

/* init= goes with the root of whoever wrote it, never with one of ours. */
static int take_init(struct boot_plan *plan, struct err *e)
{
	if (!root_keys.init[0] || !plan->dialect || plan->dialect == dialect_socle.name ||
	    plan->given.agent)
		return 0;
	if (!dialect_is_path(root_keys.init))
		return err_set(e, FAIL_VALUE_INVALID, EINVAL,
			       "init=%.100s is no absolute path without . and ..", root_keys.init);
	strcpy(plan->agent, root_keys.init);
	return 0;
}

static int finish(struct boot_plan *plan, struct err *e)
{
	int r = 0;

	if (root_keys.root[0] && !plan->dialect)
		r = claim(plan, e);
	if (!r)
		r = take_init(plan, e);
	memset(&root_keys, 0, sizeof(root_keys));
	return r;
}

const struct dialect dialect_root = { .name = "root=", .take = take, .finish = finish };
