// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "init/plan/veritytab.h"

#include <errno.h>
#include <string.h>

#include "init/plan/plan_layer.h"
#include "lib/pairs.h"
#include "init/plan/systemd_bool.h"
#include "lib/array.h"
#include "lib/text.h"

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

/* Words of veritytab(5) that say when, not how, to open a device. */
static const char *const ignored[] = {
	"auto", "nofail", "_netdev", "x-initrd.attach", "superblock", "uuid", NULL,
};

struct parsed {
	uint64_t hash_offset_bytes;
	bool no_superblock;
	const char *in_superblock; /* an option that a superblock would hold */
};

static int take_flag(const char *word, struct boot_plan *plan, struct volume *v, struct err *e)
{
	bool restart = !strcmp(word, "restart-on-corruption");

	if (text_find(ignored, word, strlen(word)) >= 0)
		return 0;
	if (!strcmp(word, "ignore-zero-blocks")) {
		v->verity.ignore_zero_blocks = true;
		return 0;
	}
	if (!restart && strcmp(word, "panic-on-corruption"))
		return err_set(e, FAIL_VALUE_INVALID, EINVAL,
			       "the verity option %.60s weakens verification or is unknown", word);
	if (!plan->given.on_corruption)
		plan->on_corruption =
			restart ? VERITY_ON_CORRUPTION_RESTART : VERITY_ON_CORRUPTION_PANIC;
	return 0;
}

static int take_value(const struct pair *pair, struct boot_plan *plan, struct volume *v,
		      struct parsed *parsed, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (!strcmp(pair->key, options[i].option)) {
			if (options[i].in_superblock)
				parsed->in_superblock = options[i].option;
			return layer_set(plan, v, options[i].key, pair->value, e);
		}
	if (!strcmp(pair->key, "superblock")) {
		parsed->no_superblock = systemd_is_no(pair->value);
		return 0;
	}
	if (!strcmp(pair->key, "uuid"))
		return 0;
	if (!strcmp(pair->key, "hash-offset")) {
		if (!parse_u64(pair->value, INT64_MAX, &parsed->hash_offset_bytes) &&
		    parsed->hash_offset_bytes % 512 == 0)
			return 0;
		return err_set(e, FAIL_VALUE_INVALID, EINVAL,
			       "hash-offset=%.40s is not a multiple of 512 below 2^63",
			       pair->value);
	}
	return err_set(e, FAIL_VALUE_INVALID, EINVAL, "unknown verity option %.60s=", pair->key);
}

static int take_all(char *text, struct boot_plan *plan, struct volume *v, struct parsed *parsed,
		    struct err *e)
{
	struct pairs pairs = { .rest = text, .skip_empty = true };
	struct pair pair;
	int r;

	while ((r = pairs_next(&pairs, &pair, e)) > 0) {
		r = pair.value ? take_value(&pair, plan, v, parsed, e) :
				 take_flag(pair.key, plan, v, e);
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
		return 0;
	}
	if (parsed->hash_offset_bytes % p->hash_block_size)
		return err_set(e, FAIL_VALUE_INVALID, EINVAL,
			       "hash-offset= is not a multiple of the hash block size");
	p->hash_start_block = parsed->hash_offset_bytes / p->hash_block_size;
	p->hash_start_given = true;
	return 0;
}

int veritytab_options(char *text, struct boot_plan *plan, struct volume *v, struct err *e)
{
	struct parsed parsed = { 0 };
	int r = take_all(text, plan, v, &parsed, e);

	return r ? r : take_geometry(v, &parsed, e);
}
