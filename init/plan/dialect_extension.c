// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * kata.extension.NAME.verity_params[=root_hash=…,salt=…,…]: a disk with the
 * serial number extension-NAME, its data in partition 1, the tree without a
 * superblock in partition 2. The bare key asks for a disk that nothing proves.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "init/plan/dialect.h"
#include "lib/pairs.h"
#include "lib/array.h"
#include "lib/text.h"

#define PREFIX          "kata.extension."
#define SUFFIX          ".verity_params"
#define NAME_PREFIX     "extension-"
#define NAME_MAX_LENGTH 20 /* fits into a volume's name */

static bool is_name(const char *name)
{
	size_t length = strlen(name);

	return length && length <= NAME_MAX_LENGTH &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "0123456789_-") == length;
}

/* The keys that a complete set has; Kata ignores any other. */
static const char *const required[] = {
	"root_hash", "salt", "data_blocks", "data_block_size", "hash_block_size",
};

static int take_param(const struct pair *pair, struct verity_params *p, unsigned int *seen,
		      struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(required); i++)
		if (!strcmp(pair->key, required[i])) {
			*seen |= 1U << i;
			return verity_params_set(p, pair->key, pair->value, e);
		}
	return 0;
}

static int take_params(char *text, struct verity_params *p, struct err *e)
{
	struct pairs pairs = { .rest = text, .skip_empty = true };
	unsigned int seen = 0;
	struct pair pair;
	int r;

	while ((r = pairs_next(&pairs, &pair, e)) > 0) {
		r = pair.value ? take_param(&pair, p, &seen, e) :
				 err_set(e, FAIL_VALUE_INVALID, EINVAL,
					 "\"%.40s\" in verity_params is not key=value", pair.key);
		if (r)
			return r;
	}
	if (!r && !(seen & 1))
		return err_set(e, FAIL_ROOT_HASH_MISSING, EINVAL,
			       "verity_params has no root_hash=");
	if (!r && seen != (1U << ARRAY_SIZE(required)) - 1)
		return err_set(e, FAIL_VERITY_PARAMS_INVALID, EINVAL,
			       "verity_params lacks one of root_hash, salt, data_blocks, "
			       "data_block_size, hash_block_size");
	return r ? r : verity_params_set(p, "hash_start", "0", e);
}

static int fill(struct volume *v, const char *value, struct err *e)
{
	char text[1024];
	int r;

	v->data.kind = DEVREF_SERIAL;
	memcpy(v->data.value, v->name, strnlen(v->name, DEVREF_SHORT_SERIAL_MAX));
	v->data.partition = 1;
	strcpy(v->fstype, "erofs");
	if (!value) {
		v->proof = VOLUME_RAW;
		return 0;
	}
	v->hash = v->data;
	v->hash.partition = 2;
	r = dialect_copy(text, sizeof(text), "verity_params", value, e);
	if (!r)
		r = take_params(text, &v->verity, e);
	return r ? r : volume_finish(v, e);
}

static int take_extension(struct boot_plan *plan, const char *name, const char *value,
			  struct err *e)
{
	struct volume *v = &plan->extension[plan->extensions];
	char volume_name[ERR_VOLUME_SIZE];
	int r;

	if (!is_name(name))
		return err_set(e, FAIL_VALUE_INVALID, EINVAL,
			       "an extension's name must be up to %d letters, digits, - and _",
			       NAME_MAX_LENGTH);
	snprintf(volume_name, sizeof(volume_name), NAME_PREFIX "%.*s", NAME_MAX_LENGTH, name);
	for (size_t i = 0; i < plan->extensions; i++) {
		const char *other = plan->extension[i].name;

		if (!strcmp(other, volume_name))
			return err_set(e, FAIL_KEY_REPEATED, EINVAL,
				       PREFIX "%s" SUFFIX " is specified twice", name);
		if (!strncmp(other, volume_name, DEVREF_SHORT_SERIAL_MAX))
			return err_set(e, FAIL_VALUE_INVALID, EINVAL,
				       "the extensions %s and %s would have disks of one serial "
				       "number, which is cut at %d bytes",
				       other + strlen(NAME_PREFIX), name, DEVREF_SHORT_SERIAL_MAX);
	}
	if (plan->extensions == PLAN_EXTENSIONS_MAX)
		return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG, "there are more than %d extensions",
			       PLAN_EXTENSIONS_MAX);
	plan->extensions++;
	volume_init(v, volume_name, volume_name);
	r = fill(v, value, e);
	return err_volume(e, r, v->name);
}

static int take(const struct cmdline_param *param, struct line_keys *keys, struct boot_plan *plan,
		struct err *e)
{
	const char *name = text_behind(param->key, PREFIX), *end;
	char text[256];

	(void)keys;
	if (!name)
		return 0;
	end = strstr(name, SUFFIX);
	if (!end || strcmp(end, SUFFIX) || (size_t)(end - name) >= sizeof(text))
		return 0;
	memcpy(text, name, (size_t)(end - name));
	text[end - name] = '\0';
	return take_extension(plan, text, param->value, e);
}

const struct dialect dialect_extension = { .name = "kata.extension.", .take = take };
