// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "init/dialect.h"

/* In the order in which they finish: whoever claims the root first has it. */
static const struct dialect *const dialects[] = {
	&dialect_socle,   &dialect_dm_create, &dialect_rootfs_verity,
	&dialect_systemd, &dialect_volatile,  &dialect_extension,
	&dialect_root,
};

#define DIALECTS (sizeof(dialects) / sizeof(dialects[0]))

void plan_init(struct boot_plan *plan)
{
	memset(plan, 0, sizeof(*plan));
	strcpy(plan->agent, "/sbin/init");
	plan->timeout_s = 10;
}

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
		plan->upper = PLAN_UPPER_NONE;
	plan->layers = 1;
	volume_init(&plan->layer[0], "root", dm_name);
	*ret = &plan->layer[0];
	return 0;
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

int plan_settle(struct boot_plan *plan, bool agent_in_initramfs, struct err *e)
{
	if (agent_in_initramfs && !has_verified_root(plan) && !plan->has_usr) {
		plan->root = PLAN_ROOT_INITRAMFS;
		plan->layers = 0;
		plan->state_tmpfs = false; /* all of it is in memory already */
	}
	if (plan->root == PLAN_ROOT_TMPFS && plan->layers > 1)
		return err_set(e, FAIL_VALUE_INVALID, EINVAL,
			       "systemd.volatile=yes takes /usr from one file system, not from a "
			       "stack of %zu layers", plan->layers);
	/* An empty tmpfs has no agent in it. */
	if (plan->root == PLAN_ROOT_NONE ||
	    (plan->root == PLAN_ROOT_TMPFS && !plan->layers && !plan->has_usr))
		return err_set(e, FAIL_NO_ROOT, EINVAL,
			       "the command line names no root, and the initramfs has no %s",
			       plan->agent);
	return 0;
}

int dialect_copy(char *to, size_t size, const char *key, const char *value, struct err *e)
{
	if (strlen(value) >= size)
		return err_set(e, FAIL_VALUE_INVALID, E2BIG, "%s= takes %zu bytes at the most", key,
			       size - 1);
	strcpy(to, value);
	return 0;
}

bool dialect_is_path(const char *path)
{
	if (*path != '/' || !path[1] || strlen(path) >= PLAN_PATH_SIZE)
		return false;
	for (const char *c = path; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			return false;
	for (const char *part = path; part; part = strchr(part + 1, '/')) {
		size_t length = strcspn(part + 1, "/");

		if (!length || (length <= 2 && !strncmp(part + 1, "..", length)))
			return false;
	}
	return true;
}

int dialect_fstype(char to[FSTYPE_SIZE], const char *value, struct err *e)
{
	for (const char *const *type = probe_fstypes; *type; type++)
		if (!strcmp(*type, value)) {
			strcpy(to, value);
			return 0;
		}
	return err_set(e, FAIL_VALUE_INVALID, EINVAL,
		       "the file system %.40s is not one of erofs, squashfs, ext4, xfs", value);
}

static int take(const struct cmdline_param *param, struct boot_plan *plan, struct err *e)
{
	for (size_t i = 0; i < DIALECTS; i++) {
		int r = dialects[i]->take(param, plan, e);

		if (r)
			return r;
	}
	return 0;
}

/*
 * Every parameter is taken even after one was refused: the first failure is
 * the one that is told, and how to tell it may stand behind it.
 */
static int take_all(char *cmdline, struct boot_plan *plan, struct err *e)
{
	struct cmdline_param param;
	struct err later;
	int first = 0;

	while (cmdline_next(&cmdline, &param)) {
		int r = take(&param, plan, first ? &later : e);

		if (!first)
			first = r;
	}
	return first;
}

/* All of them, even after a failure: each forgets its line. */
static int finish_all(struct boot_plan *plan, struct err *e)
{
	struct err later;
	int first = 0;

	for (size_t i = 0; i < DIALECTS; i++) {
		int r = dialects[i]->finish(plan, first ? &later : e);

		if (!first)
			first = r;
	}
	return first;
}

int plan_parse(char *cmdline, size_t limit, struct boot_plan *plan, struct err *e)
{
	size_t length = strlen(cmdline);
	struct err later;
	int r = 0, finished;

	plan_init(plan);
	if (limit && length >= limit)
		r = err_set(e, FAIL_CMDLINE_TRUNCATED, E2BIG,
			    "the command line has %zu bytes and the kernel cuts it at %zu", length,
			    limit);
	if (r)
		(void)take_all(cmdline, plan, &later);
	else
		r = take_all(cmdline, plan, e);
	finished = finish_all(plan, r ? &later : e);
	return r ? r : finished;
}
