// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * dm-mod.create="name,uuid,minor,flags,table": the kernel's own way to open a
 * device before there is a userspace, and what Kata says since 3.27. A kernel
 * with CONFIG_DM_INIT has opened it already; then it is taken over. One device
 * with one read-only verity table.
 *
 * Source: the kernel's Documentation/admin-guide/device-mapper/dm-init.rst.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "init/plan/dialect.h"
#include "lib/array.h"
#include "lib/text.h"

static int invalid(struct err *e, const char *what)
{
	return err_set(e, FAIL_VALUE_INVALID, EINVAL, "dm-mod.create=: %s", what);
}

static int take(const struct cmdline_param *param, struct line_keys *keys, struct boot_plan *plan,
		struct err *e)
{
	(void)plan;
	if (strcmp(param->key, "dm-mod.create") && strcmp(param->key, "dm_mod.create"))
		return 0;
	if (keys->dm_create[0])
		return err_set(e, FAIL_KEY_REPEATED, EINVAL, "dm-mod.create= is specified twice");
	if (!param->value || !*param->value)
		return invalid(e, "it has no value");
	return dialect_copy(keys->dm_create, sizeof(keys->dm_create), param->key, param->value, e);
}

/* The device's own fields, then its table. */
struct fields {
	char *name, *uuid, *minor, *flags, *table;
};

static int split_fields(char *value, struct fields *ret, struct err *e)
{
	char **const fields[] = { &ret->name, &ret->uuid, &ret->minor, &ret->flags };

	if (strchr(value, ';'))
		return invalid(e, "more than one device");
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		*fields[i] = strsep(&value, ",");
		if (!value)
			return invalid(e, "it is not name,uuid,minor,flags,table");
	}
	ret->table = value;
	if (strchr(value, ','))
		return invalid(e, "more than one table");
	if (!*ret->name || strlen(ret->name) >= MAPPED_NAME_SIZE)
		return invalid(e, "its name is missing or too long");
	return strcmp(ret->flags, "ro") ? invalid(e, "the device is not ro") : 0;
}

/* root= must be this device, or the kernel's line means something else. */
static int check_root(const struct fields *f, const char *root, struct err *e)
{
	char by_minor[32], by_name[MAPPED_NAME_SIZE + 16];

	snprintf(by_minor, sizeof(by_minor), "/dev/dm-%.8s", *f->minor ? f->minor : "0");
	snprintf(by_name, sizeof(by_name), "/dev/mapper/%s", f->name);
	if (!*root || !strcmp(root, by_minor) || !strcmp(root, by_name))
		return 0;
	return invalid(e, "root= names another device");
}

/* The words of a verity line and what takes them. */
static const char *const param_keys[] = {
	"data_block_size",
	"hash_block_size",
	"data_blocks",
	"hash_start",
	"hash",
	"root_hash",
	"salt",
};

static int take_params(char **rest, struct verity_params *p, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(param_keys); i++) {
		const char *word = strsep(rest, " ");
		int r = word ? verity_params_set(p, param_keys[i], word, e) :
			       invalid(e, "its verity line is too short");

		if (r)
			return r;
	}
	return 0;
}

static int take_option(const char *word, struct boot_plan *plan, struct verity_params *p,
		       struct err *e)
{
	enum verity_corruption policy = VERITY_ON_CORRUPTION_PANIC;

	if (!strcmp(word, "ignore_zero_blocks")) {
		p->ignore_zero_blocks = true;
		return 0;
	}
	if (!strcmp(word, "restart_on_corruption"))
		policy = VERITY_ON_CORRUPTION_RESTART;
	else if (strcmp(word, "panic_on_corruption"))
		return err_set(e, FAIL_VALUE_INVALID, EINVAL,
			       "dm-mod.create=: the option %.60s weakens verification or is "
			       "unknown",
			       word);
	if (!plan->given.on_corruption)
		plan->on_corruption = policy;
	return 0;
}

static int take_options(char *rest, struct boot_plan *plan, struct verity_params *p, struct err *e)
{
	const char *word = strsep(&rest, " ");
	uint64_t count;
	int r = 0;

	if (!word)
		return 0;
	if (parse_u64(word, 16, &count))
		return invalid(e, "the number of options is not a number");
	for (; !r && count; count--) {
		word = strsep(&rest, " ");
		r = word ? take_option(word, plan, p, e) : invalid(e, "options are missing");
	}
	return !r && rest ? invalid(e, "it has more words than options") : r;
}

/* "0 sectors verity format data hash …" */
static int take_table(char *table, struct boot_plan *plan, struct volume *v, struct err *e)
{
	const char *start = strsep(&table, " "), *length = strsep(&table, " ");
	const char *target = strsep(&table, " "), *format = strsep(&table, " ");
	const char *data = strsep(&table, " "), *hash = strsep(&table, " ");
	struct verity_params *p = &v->verity;
	uint64_t sectors;
	int r;

	if (!hash || strcmp(start, "0") || strcmp(target, "verity") ||
	    parse_u64(length, UINT64_MAX, &sectors))
		return invalid(e, "its table is not \"0 SECTORS verity ...\"");
	r = verity_params_set(p, "format", format, e);
	if (!r)
		r = devref_parse(data, &v->data, e);
	if (!r && strcmp(data, hash))
		r = devref_parse(hash, &v->hash, e);
	if (!r)
		r = take_params(&table, p, e);
	if (!r)
		r = take_options(table, plan, p, e);
	if (!r)
		r = volume_finish(v, e);
	if (!r && sectors != p->data_blocks * (p->data_block_size / 512))
		r = invalid(e, "its length is not that of its data blocks");
	return r;
}

static int finish(struct line_keys *keys, struct boot_plan *plan, struct err *e)
{
	struct fields f;
	struct volume *v;
	int r;

	if (!keys->dm_create[0])
		return 0;
	r = split_fields(keys->dm_create, &f, e);
	if (!r)
		r = check_root(&f, keys->root.root, e);
	if (!r)
		r = plan_claim_root(plan, dialect_dm_create.name, f.name, &v, e);
	if (r)
		return r;
	root_keys_apply(&keys->root, v);
	v->adopt = true;
	return take_table(f.table, plan, v, e);
}

const struct dialect dialect_dm_create = {
	.name = "dm-mod.create=",
	.take = take,
	.finish = finish,
};
