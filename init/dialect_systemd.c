// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * roothash= and usrhash= with the systemd.verity_* keys, as systemd's generator
 * reads them: without explicit devices the partition ids are the two halves of
 * the hash. And systemd.volatile=.
 *
 * Source: systemd-veritysetup-generator(8), veritytab(5), kernel-command-line(7).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "init/dialect.h"
#include "init/layer.h"
#include "init/pairs.h"
#include "lib/hex.h"
#include "lib/parse.h"

#define OPTIONS_SIZE 4096 /* bytes, with the NUL: a signature may stand among them */

#define VERITY_ROOT "systemd.verity_root_"
#define VERITY_USR  "systemd.verity_usr_"

/* What stands on the line about one of the two file systems. */
struct side {
	bool given; /* a hash, even an empty one */
	bool asked; /* any other key about it */
	char hash[2 * VERITY_DIGEST_MAX + 2];
	char data[DEVREF_TEXT_SIZE], hash_device[DEVREF_TEXT_SIZE];
	char options[OPTIONS_SIZE];
};

static struct {
	struct side root, usr;
	bool off; /* systemd.verity=no */
	char volatile_mode[16];
} keys;

static const struct {
	const char *key;
	char *to;
	size_t size;
} text_keys[] = {
	{ "systemd.verity_root_data", keys.root.data, sizeof(keys.root.data) },
	{ "systemd.verity_root_hash", keys.root.hash_device, sizeof(keys.root.hash_device) },
	{ "systemd.verity_root_options", keys.root.options, sizeof(keys.root.options) },
	{ "systemd.verity_usr_data", keys.usr.data, sizeof(keys.usr.data) },
	{ "systemd.verity_usr_hash", keys.usr.hash_device, sizeof(keys.usr.hash_device) },
	{ "systemd.verity_usr_options", keys.usr.options, sizeof(keys.usr.options) },
	{ "systemd.volatile", keys.volatile_mode, sizeof(keys.volatile_mode) },
};

/* systemd's words for no and yes, side by side. */
static const char *const words[][2] = {
	{ "0", "1" }, { "no", "yes" }, { "n", "y" }, { "false", "true" }, { "f", "t" }, { "off", "on" },
};

static bool is_word(const char *value, size_t meaning)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcasecmp(value, words[i][meaning]))
			return true;
	return false;
}

static bool is_no(const char *value)
{
	return is_word(value, 0);
}

static bool is_yes(const char *value)
{
	return is_word(value, 1);
}

/* A root hash that stands twice is refused, unlike systemd's last that counts. */
static int take_hash(const struct cmdline_param *param, struct side *side, struct err *e)
{
	if (side->given)
		return err_set(e, FAIL_KEY_REPEATED, EINVAL, "%s= stands twice", param->key);
	side->given = true;
	return dialect_copy(side->hash, sizeof(side->hash), param->key,
			    param->value ? param->value : "", e);
}

static int take(const struct cmdline_param *param, struct boot_plan *plan, struct err *e)
{
	/* The key alone switches it on. */
	const char *bare = strcmp(param->key, "systemd.volatile") ? "" : "yes";
	const char *value = param->value ? param->value : bare;

	(void)plan;
	if (!strcmp(param->key, "roothash"))
		return take_hash(param, &keys.root, e);
	if (!strcmp(param->key, "usrhash"))
		return take_hash(param, &keys.usr, e);
	if (!strcmp(param->key, "systemd.verity") || !strcmp(param->key, "rd.systemd.verity"))
		keys.off = is_no(value);
	for (size_t i = 0; i < sizeof(text_keys) / sizeof(text_keys[0]); i++)
		if (!strcmp(param->key, text_keys[i].key)) {
			keys.root.asked |= !strncmp(param->key, VERITY_ROOT, strlen(VERITY_ROOT));
			keys.usr.asked |= !strncmp(param->key, VERITY_USR, strlen(VERITY_USR));
			return dialect_copy(text_keys[i].to, text_keys[i].size, param->key, value,
					    e);
		}
	return 0;
}

/* Options of veritytab(5) that a layer has under another name. */
static const struct {
	const char *option, *key;
	bool in_superblock; /* says what a superblock says, so there must be none */
} options[] = {
	{ "format", "format", true },
	{ "data-block-size", "data_block_size", true },
	{ "hash-block-size", "hash_block_size", true },
	{ "data-blocks", "data_blocks", true },
	{ "salt", "salt", true },
	{ "hash", "hash", true },
	{ "fec-roots", "fec_roots", false },
	{ "fec-offset", "fec_offset", false },
	{ "fec-device", "fec_device", false },
	{ "root-hash-signature", "signature", false },
};

#define OPTIONS (sizeof(options) / sizeof(options[0]))

/* Words of veritytab(5) that say when, not how, to open a device. */
static const char *const ignored[] = {
	"auto", "nofail", "_netdev", "x-initrd.attach", "superblock", "uuid",
};

struct parsed {
	uint64_t hash_offset_bytes;
	bool no_superblock;
	const char *in_superblock; /* an option that a superblock would hold */
};

static int take_flag(const char *word, struct boot_plan *plan, struct volume *v, struct err *e)
{
	bool restart = !strcmp(word, "restart-on-corruption");

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		if (!strcmp(word, ignored[i]))
			return 0;
	if (!strcmp(word, "ignore-zero-blocks")) {
		v->verity.ignore_zero_blocks = true;
		return 0;
	}
	if (!restart && strcmp(word, "panic-on-corruption"))
		return err_set(e, FAIL_VALUE_INVALID, EINVAL,
			       "the verity option %.60s weakens verification or is not known", word);
	if (!plan->given.on_corruption)
		plan->on_corruption = restart ? VERITY_ON_CORRUPTION_RESTART :
						VERITY_ON_CORRUPTION_PANIC;
	return 0;
}

static int take_value(const struct pair *pair, struct volume *v, struct parsed *parsed,
		      struct err *e)
{
	for (size_t i = 0; i < OPTIONS; i++)
		if (!strcmp(pair->key, options[i].option)) {
			if (options[i].in_superblock)
				parsed->in_superblock = options[i].option;
			return layer_set(v, options[i].key, pair->value, e);
		}
	if (!strcmp(pair->key, "superblock")) {
		parsed->no_superblock = is_no(pair->value);
		return 0;
	}
	if (!strcmp(pair->key, "uuid"))
		return 0;
	if (!strcmp(pair->key, "hash-offset")) {
		if (!parse_u64(pair->value, INT64_MAX, &parsed->hash_offset_bytes) &&
		    parsed->hash_offset_bytes % 512 == 0)
			return 0;
		return err_set(e, FAIL_VALUE_INVALID, EINVAL,
			       "hash-offset=%.40s is no multiple of 512 below 2^63", pair->value);
	}
	return err_set(e, FAIL_VALUE_INVALID, EINVAL, "the verity option %.60s= is not known",
		       pair->key);
}

static int take_options(char *text, struct boot_plan *plan, struct volume *v,
			struct parsed *parsed, struct err *e)
{
	struct pairs pairs = { .rest = text, .skip_empty = true };
	struct pair pair;
	int r;

	while ((r = pairs_next(&pairs, &pair, e)) > 0) {
		r = pair.value ? take_value(&pair, v, parsed, e) : take_flag(pair.key, plan, v, e);
		if (r)
			return r;
	}
	return r;
}

/* Either all comes from the line, or the line leaves it all to the superblock. */
static int take_geometry(struct volume *v, const struct parsed *parsed, struct err *e)
{
	struct verity_params *p = &v->verity;

	if (!parsed->no_superblock) {
		v->proof = VOLUME_SUPERBLOCK;
		v->superblock_offset_bytes = parsed->hash_offset_bytes;
		if (parsed->in_superblock)
			return err_set(e, FAIL_VALUE_INVALID, EINVAL,
				       "the verity option %s= needs superblock=no",
				       parsed->in_superblock);
		return volume_finish(v, e);
	}
	if (parsed->hash_offset_bytes % p->hash_block_size)
		return err_set(e, FAIL_VALUE_INVALID, EINVAL,
			       "hash-offset= is no multiple of the hash block size");
	p->hash_start_block = parsed->hash_offset_bytes / p->hash_block_size;
	p->hash_start_given = true;
	return volume_finish(v, e);
}

/* 16 bytes of the hash as the id of a partition. */
static void id_from_hash(const uint8_t bytes[16], struct devref *ret)
{
	static const size_t groups[] = { 4, 2, 2, 2, 6 };
	char *to = ret->value;

	ret->kind = DEVREF_PARTUUID;
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		if (i)
			*to++ = '-';
		hex_encode(bytes, groups[i], to);
		to += 2 * groups[i];
		bytes += groups[i];
	}
}

static int take_devices(const struct side *side, struct volume *v, struct err *e)
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

static int fill(struct side *side, struct boot_plan *plan, struct volume *v, struct err *e)
{
	struct parsed parsed = { 0 };
	int r = verity_params_set(&v->verity, "root_hash", side->hash, e);

	if (r)
		err_prefix(e, "%shash=: ", v == &plan->usr ? "usr" : "root");
	if (!r)
		r = take_options(side->options, plan, v, &parsed, e);
	if (!r)
		r = take_devices(side, v, e);
	if (!r)
		r = take_geometry(v, &parsed, e);
	if (r)
		err_volume(e, v->name);
	return r;
}

static int claim_root(struct boot_plan *plan, struct err *e)
{
	struct volume *v;
	int r = plan_claim_root(plan, "roothash=", "root", &v, e);

	if (r)
		return r;
	root_keys_apply(v);
	return fill(&keys.root, plan, v, e);
}

static int claim_usr(struct boot_plan *plan, struct err *e)
{
	plan->has_usr = true;
	volume_init(&plan->usr, "usr", "usr");
	return fill(&keys.usr, plan, &plan->usr, e);
}

static int take_volatile(struct boot_plan *plan, struct err *e)
{
	const char *mode = keys.volatile_mode;

	if (!*mode || is_no(mode))
		return 0;
	if (!strcmp(mode, "state")) {
		plan->state_tmpfs = true;
	} else if (!strcmp(mode, "overlay")) {
		if (!plan->given.upper) {
			plan->given.upper = true;
			plan->upper = PLAN_UPPER_TMPFS;
			strcpy(plan->upper_size, "25%");
		}
	} else if (is_yes(mode)) {
		plan->root = PLAN_ROOT_TMPFS;
	} else {
		return err_set(e, FAIL_VALUE_INVALID, EINVAL,
			       "systemd.volatile=%s is not yes, no, state or overlay", mode);
	}
	return 0;
}

/* Verity asked for is verity done: never by half, and never switched off beside it. */
static int check_asked(struct err *e)
{
	bool given = keys.root.given || keys.usr.given;
	const struct side *const sides[] = { &keys.root, &keys.usr };

	if (keys.off && (given || keys.root.asked || keys.usr.asked))
		return err_set(e, FAIL_VALUE_INVALID, EINVAL,
			       "systemd.verity= is off, and other keys ask for verity");
	for (size_t i = 0; i < sizeof(sides) / sizeof(sides[0]); i++)
		if (sides[i]->asked && !sides[i]->given)
			return err_set(e, FAIL_ROOT_HASH_MISSING, EINVAL,
				       "systemd.verity_%s_ keys are given without %shash=",
				       i ? "usr" : "root", i ? "usr" : "root");
	return 0;
}

static int finish(struct boot_plan *plan, struct err *e)
{
	int r = check_asked(e);

	if (!r && keys.root.given)
		r = claim_root(plan, e);
	if (!r && keys.usr.given)
		r = claim_usr(plan, e);
	if (!r)
		r = take_volatile(plan, e);
	memset(&keys, 0, sizeof(keys));
	return r;
}

const struct dialect dialect_systemd = { .name = "systemd", .take = take, .finish = finish };
