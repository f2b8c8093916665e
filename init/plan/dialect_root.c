// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * The kernel's own keys about the root. Where no other dialect gives one, root=
 * names a file system that nothing proves, and the policy has to allow that.
 */
#include <errno.h>
#include <string.h>

#include "init/plan/dialect.h"
#include "lib/text.h"

/* The kernel takes a list of types and tries each; the probe does as well. */
static int take_fstype(struct root_keys *keys, const char *value, struct err *e)
{
	keys->fstype[0] = '\0';
	return strchr(value, ',') ? 0 : fstype_parse(value, keys->fstype, e);
}

/* rootwait without a number waits for ever in the kernel; here the limit stays. */
static void take_wait(struct boot_plan *plan, const char *value)
{
	uint64_t seconds;

	if (!plan->given.timeout && !parse_u64(value, PLAN_TIMEOUT_MAX, &seconds) && seconds)
		plan->timeout_s = (unsigned int)seconds;
}

static int take_value(struct root_keys *keys, const char *key, const char *value,
		      struct boot_plan *plan, struct err *e)
{
	if (!strcmp(key, "root"))
		return dialect_copy(keys->root, sizeof(keys->root), key, value, e);
	if (!strcmp(key, "rootfstype"))
		return take_fstype(keys, value, e);
	if (!strcmp(key, "rootflags"))
		return dialect_copy(keys->flags, sizeof(keys->flags), key, value, e);
	if (!strcmp(key, "init"))
		return dialect_copy(keys->init, sizeof(keys->init), key, value, e);
	if (!strcmp(key, "rootwait"))
		take_wait(plan, value);
	return 0;
}

static int take(const struct cmdline_param *param, struct line_keys *keys, struct boot_plan *plan,
		struct err *e)
{
	if (param->value)
		return take_value(&keys->root, param->key, param->value, plan, e);
	if (!strcmp(param->key, "ro"))
		keys->root.writable = false;
	else if (!strcmp(param->key, "rw"))
		keys->root.writable = true;
	return 0;
}

void root_keys_apply(const struct root_keys *keys, struct volume *v)
{
	strcpy(v->fstype, keys->fstype);
	strcpy(v->options, keys->flags);
}

/* What is written goes elsewhere: systemd.volatile=, or an upper of ours. */
static bool is_volatile(const struct boot_plan *plan)
{
	return plan->state_tmpfs || plan->root == PLAN_ROOT_TMPFS || plan->upper.kind != UPPER_NONE;
}

static int claim(const struct root_keys *keys, struct boot_plan *plan, struct err *e)
{
	struct volume *v;
	int r = plan_claim_root(plan, dialect_root.name, "", &v, e);

	if (r)
		return r;
	/* It may not count after all, and is a fault only where it does: plan_settle(). */
	if (devref_parse(keys->root, &v->data, NULL))
		strcpy(plan->unread_root, keys->root);
	v->proof = VOLUME_RAW;
	v->writable = keys->writable && !is_volatile(plan);
	root_keys_apply(keys, v);
	return 0;
}

/* init= goes with the root of whoever wrote it, never with one of ours. */
static int take_init(const struct root_keys *keys, struct boot_plan *plan, struct err *e)
{
	if (!keys->init[0] || !plan->dialect || plan->dialect == dialect_socle.name ||
	    plan->given.agent)
		return 0;
	if (!dialect_is_path(keys->init))
		return err_set(e, FAIL_VALUE_INVALID, EINVAL,
			       "init=%.100s is not an absolute path without . and ..", keys->init);
	strcpy(plan->agent, keys->init);
	return 0;
}

static int finish(struct line_keys *keys, struct boot_plan *plan, struct err *e)
{
	int r = keys->root.root[0] && !plan->dialect ? claim(&keys->root, plan, e) : 0;

	return r ? r : take_init(&keys->root, plan, e);
}

const struct dialect dialect_root = { .name = "root=", .take = take, .finish = finish };
