// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "init/plan/plan.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

const char *const plan_on_failure_words[] = { "poweroff", "reboot", "panic", "halt", NULL };

void plan_init(struct boot_plan *plan)
{
	/* What follows the layers too is filled before it counts: a boot touches little of it. */
	memset(plan, 0, offsetof(struct boot_plan, layer));
	strcpy(plan->agent, "/sbin/init");
	plan->timeout_s = 10;
	plan->upper.kind = UPPER_TMPFS;
}

const struct volume *plan_volume(const struct boot_plan *plan, size_t index)
{
	if (index < plan->layers)
		return &plan->layer[index];
	index -= plan->layers;
	if (plan->has_usr && !index--)
		return &plan->usr;
	return index < plan->extensions ? &plan->extension[index] : NULL;
}

static bool has_verified_root(const struct boot_plan *plan)
{
	return plan->layers && plan->layer[0].proof != VOLUME_RAW;
}

/* Before there is a root, no file of it can be meant. */
static int check_devices(const struct boot_plan *plan, struct err *e)
{
	const struct volume *v;

	for (size_t i = 0; (v = plan_volume(plan, i)); i++)
		if (v->data.kind == DEVREF_FILE || v->hash.kind == DEVREF_FILE ||
		    v->fec.kind == DEVREF_FILE)
			return err_volume(
				e,
				err_set(e, FAIL_VALUE_INVALID, EINVAL,
					"FILE= names a file of a guest that runs, and this "
					"one is only booting"),
				v->name);
	return 0;
}

static int settle(struct boot_plan *plan, bool agent_in_initramfs, struct err *e)
{
	if (agent_in_initramfs && !has_verified_root(plan) && !plan->has_usr) {
		plan->root = PLAN_ROOT_INITRAMFS;
		plan->layers = 0;
		plan->state_tmpfs = false; /* all of it is in memory already */
	}
	if (plan->layers && plan->unread_root[0])
		return devref_parse(plan->unread_root, &plan->layer[0].data, e);
	if (plan->root == PLAN_ROOT_TMPFS && plan->layers > 1)
		return err_set(e, FAIL_VALUE_INVALID, EINVAL,
			       "systemd.volatile=yes takes /usr from one file system, not from a "
			       "stack of %zu layers",
			       plan->layers);
	/* Nobody writes what the line wants to keep in memory to a disk, or the reverse. */
	if (plan->upper.kind == UPPER_DISK && plan->root != PLAN_ROOT_LAYERS &&
	    plan->root != PLAN_ROOT_NONE)
		return err_set(e, FAIL_VALUE_INVALID, EINVAL,
			       "socle.upper=disk: is for a root of layers, and this one is %s",
			       plan->root == PLAN_ROOT_TMPFS ? "a tmpfs" : "the initramfs");
	/* An empty tmpfs has no agent in it. */
	if (plan->root == PLAN_ROOT_NONE ||
	    (plan->root == PLAN_ROOT_TMPFS && !plan->layers && !plan->has_usr))
		return err_set(e, FAIL_NO_ROOT, EINVAL,
			       "the command line names no root, and the initramfs has no %s",
			       plan->agent);
	return 0;
}

int plan_settle(struct boot_plan *plan, bool agent_in_initramfs, struct err *e)
{
	int r = settle(plan, agent_in_initramfs, e);

	return r ? r : check_devices(plan, e);
}
