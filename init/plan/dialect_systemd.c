// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * roothash= and usrhash= with the systemd.verity_* keys, as systemd's generator
 * reads them: without explicit devices the partition ids are the two halves of
 * the hash.
 *
 * Source: systemd-veritysetup-generator(8), veritytab(5), kernel-command-line(7).
 */
#include <errno.h>
#include <string.h>

#include "init/plan/dialect.h"
#include "init/plan/systemd_bool.h"
#include "init/plan/veritytab.h"
#include "lib/array.h"
#include "lib/hex.h"
#include "lib/text.h"

static const struct {
	const char *key;
	size_t offset, size; /* in struct systemd_side */
} text_keys[] = {
	{ "data", offsetof(struct systemd_side, data), DEVREF_TEXT_SIZE },
	{ "hash", offsetof(struct systemd_side, hash_device), DEVREF_TEXT_SIZE },
	{ "options", offsetof(struct systemd_side, options), SYSTEMD_OPTIONS_SIZE },
};

/* A root hash that is specified twice is refused, unlike systemd's last that counts. */
static int take_hash(const struct cmdline_param *param, struct systemd_side *side, struct err *e)
{
	if (side->given)
		return err_set(e, FAIL_KEY_REPEATED, EINVAL, "%s= is specified twice", param->key);
	side->given = true;
	return dialect_copy(side->hash, sizeof(side->hash), param->key,
			    param->value ? param->value : "", e);
}

/* systemd.verity_root_data and its kin; name is what follows the side. */
static int take_text(const struct cmdline_param *param, const char *name, struct systemd_side *side,
		     struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(text_keys); i++)
		if (!strcmp(name, text_keys[i].key)) {
			side->asked = true;
			return dialect_copy((char *)side + text_keys[i].offset, text_keys[i].size,
					    param->key, param->value ? param->value : "", e);
		}
	return 0;
}

static int take(const struct cmdline_param *param, struct line_keys *line, struct boot_plan *plan,
		struct err *e)
{
	struct systemd_keys *keys = &line->systemd;
	const char *key = param->key;
	const char *of_root = text_behind(key, "systemd.verity_root_");
	const char *of_usr = text_behind(key, "systemd.verity_usr_");

	(void)plan;
	if (!strcmp(key, "roothash"))
		return take_hash(param, &keys->root, e);
	if (!strcmp(key, "usrhash"))
		return take_hash(param, &keys->usr, e);
	if (of_root)
		return take_text(param, of_root, &keys->root, e);
	if (of_usr)
		return take_text(param, of_usr, &keys->usr, e);
	if (!strcmp(key, "systemd.verity") || !strcmp(key, "rd.systemd.verity"))
		keys->off = systemd_is_no(param->value ? param->value : "");
	return 0;
}

/* 16 bytes of the hash as the id of a partition. */
static void id_from_hash(const uint8_t bytes[16], struct devref *ret)
{
	static const size_t groups[] = { 4, 2, 2, 2, 6 };
	char *to = ret->value;

	ret->kind = DEVREF_PARTUUID;
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		if (i)
			*to++ = '-';
		hex_encode(bytes, groups[i], to);
		to += 2 * groups[i];
		bytes += groups[i];
	}
}

static int take_devices(const struct systemd_side *side, struct volume *v, struct err *e)
{
	const struct verity_params *p = &v->verity;
	int r = 0;

	if (side->data[0])
		r = devref_parse(side->data, &v->data, e);
	else if (p->root_hash_size >= 16)
		id_from_hash(p->root_hash, &v->data);
	if (!r && side->hash_device[0] && strcmp(side->hash_device, side->data))
		r = devref_parse(side->hash_device, &v->hash, e);
	else if (!r && !side->hash_device[0] && p->root_hash_size >= 16)
		id_from_hash(p->root_hash + p->root_hash_size - 16, &v->hash);
	return r;
}

static int fill(struct systemd_side *side, struct boot_plan *plan, struct volume *v, struct err *e)
{
	int r = verity_params_set(&v->verity, "root_hash", side->hash, e);

	r = err_prefix(e, r, "%shash=: ", v == &plan->usr ? "usr" : "root");
	if (!r)
		r = take_devices(side, v, e);
	if (!r)
		r = veritytab_options(side->options, plan, v, e);
	if (!r)
		r = volume_finish(v, e);
	return err_volume(e, r, v->name);
}

static int claim_root(struct line_keys *keys, struct boot_plan *plan, struct err *e)
{
	struct volume *v;
	int r = plan_claim_root(plan, "roothash=", "root", &v, e);

	if (r)
		return r;
	root_keys_apply(&keys->root, v);
	return fill(&keys->systemd.root, plan, v, e);
}

static int claim_usr(struct line_keys *keys, struct boot_plan *plan, struct err *e)
{
	plan->has_usr = true;
	volume_init(&plan->usr, "usr", "usr");
	return fill(&keys->systemd.usr, plan, &plan->usr, e);
}

/* Verity asked for is verity done: never by half, and never switched off beside it. */
static int check_asked(const struct systemd_keys *keys, struct err *e)
{
	bool given = keys->root.given || keys->usr.given;
	const struct systemd_side *const sides[] = { &keys->root, &keys->usr };

	if (keys->off && (given || keys->root.asked || keys->usr.asked))
		return err_set(e, FAIL_VALUE_INVALID, EINVAL,
			       "systemd.verity= is off, but other keys ask for verity");
	for (size_t i = 0; i < ARRAY_SIZE(sides); i++)
		if (sides[i]->asked && !sides[i]->given)
			return err_set(e, FAIL_ROOT_HASH_MISSING, EINVAL,
				       "systemd.verity_%s_ keys are given without %shash=",
				       i ? "usr" : "root", i ? "usr" : "root");
	return 0;
}

static int finish(struct line_keys *keys, struct boot_plan *plan, struct err *e)
{
	int r = check_asked(&keys->systemd, e);

	if (!r && keys->systemd.root.given)
		r = claim_root(keys, plan, e);
	if (!r && keys->systemd.usr.given)
		r = claim_usr(keys, plan, e);
	return r;
}

const struct dialect dialect_systemd = { .name = "systemd", .take = take, .finish = finish };
