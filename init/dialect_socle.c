// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * Our own keys. They are strict: an unknown one, or a single-valued one that
 * stands twice, refuses the boot. The grammar is in init/socle-init.8.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "init/dialect.h"
#include "lib/parse.h"

#define PREFIX "socle."

static int invalid(struct err *e, const char *key, const char *value, const char *takes)
{
	return err_set(e, FAIL_VALUE_INVALID, EINVAL, PREFIX "%s=%.100s: it takes %s", key, value,
		       takes);
}

/* A word of a closed list. */
struct word {
	const char *word;
	unsigned int value;
};

static int take_word(const struct word *words, const char *value, unsigned int *ret)
{
	for (; words->word; words++)
		if (!strcmp(words->word, value)) {
			*ret = words->value;
			return 0;
		}
	return -EINVAL;
}

/* tmpfs' own form of a size: digits with a unit or a percentage. */
static int is_tmpfs_size(const char *text)
{
	size_t digits = strspn(text, "0123456789");
	const char *unit = text + digits;

	if (!digits || digits + 1 >= PLAN_SIZE_SIZE || strspn(text, "0") == digits)
		return 0;
	if (!strcmp(unit, "%"))
		return digits < 3 || !strcmp(text, "100%");
	return !*unit || (strchr("kKmMgG", *unit) && !unit[1]);
}

static int take_upper(struct boot_plan *plan, const char *value, struct err *e)
{
	static const char size_key[] = "tmpfs,size=";

	if (!strcmp(value, "none")) {
		plan->upper = PLAN_UPPER_NONE;
		return 0;
	}
	if (!strcmp(value, "tmpfs"))
		return 0;
	if (strncmp(value, size_key, strlen(size_key)) ||
	    !is_tmpfs_size(value + strlen(size_key)))
		return invalid(e, "upper", value,
			       "none, tmpfs or tmpfs,size=SIZE (a number above 0 with k, m, g or %)");
	strcpy(plan->upper_size, value + strlen(size_key));
	return 0;
}

/* An absolute path without "." or ".." and no longer than the plan takes. */
static int is_plain_path(const char *path)
{
	if (*path != '/' || !path[1] || strlen(path) >= PLAN_PATH_SIZE)
		return 0;
	for (const char *part = path; part; part = strchr(part + 1, '/')) {
		size_t length = strcspn(part + 1, "/");

		if (!length || (length <= 2 && !strncmp(part + 1, "..", length)))
			return 0;
	}
	return 1;
}

static int take_agent(struct boot_plan *plan, const char *value, struct err *e)
{
	if (!is_plain_path(value))
		return invalid(e, "agent", value, "an absolute path without . and ..");
	strcpy(plan->agent, value);
	return 0;
}

static int take_report(struct boot_plan *plan, const char *value, struct err *e)
{
	if (strncmp(value, "/dev/", 5) || !is_plain_path(value))
		return invalid(e, "report", value, "a character device, /dev/NAME");
	strcpy(plan->report, value);
	return 0;
}

static int take_timeout(struct boot_plan *plan, const char *value, struct err *e)
{
	uint64_t seconds;

	if (parse_u64(value, PLAN_TIMEOUT_MAX, &seconds) || !seconds)
		return invalid(e, "timeout", value, "seconds, 1 to 3600");
	plan->timeout_s = (unsigned int)seconds;
	return 0;
}

static int take_on_failure(struct boot_plan *plan, const char *value, struct err *e)
{
	static const struct word words[] = {
		{ "poweroff", PLAN_ON_FAILURE_POWEROFF },
		{ "reboot", PLAN_ON_FAILURE_REBOOT },
		{ "panic", PLAN_ON_FAILURE_PANIC },
		{ "halt", PLAN_ON_FAILURE_HALT },
		{ NULL, 0 },
	};
	unsigned int chosen;

	if (take_word(words, value, &chosen))
		return invalid(e, "on_failure", value, "poweroff, reboot, panic or halt");
	plan->on_failure = (enum plan_on_failure)chosen;
	return 0;
}

static int take_on_corruption(struct boot_plan *plan, const char *value, struct err *e)
{
	static const struct word words[] = {
		{ "panic", VERITY_ON_CORRUPTION_PANIC },
		{ "restart", VERITY_ON_CORRUPTION_RESTART },
		{ "eio", VERITY_ON_CORRUPTION_EIO },
		{ NULL, 0 },
	};
	unsigned int chosen;

	if (take_word(words, value, &chosen))
		return invalid(e, "on_corruption", value, "panic, restart or eio");
	plan->on_corruption = (enum verity_corruption)chosen;
	return 0;
}

static int take_fstype(struct volume *v, const char *value, struct err *e)
{
	for (const char *const *type = probe_fstypes; *type; type++)
		if (!strcmp(*type, value)) {
			strcpy(v->fstype, value);
			return 0;
		}
	return err_set(e, FAIL_VALUE_INVALID, EINVAL,
		       "fstype=%.40s is not one of erofs, squashfs, ext4, xfs", value);
}

/* One key=value pair of a layer that is not the verity parameters' own. */
static int take_layer_key(struct volume *v, const char *key, const char *value, struct err *e)
{
	int r;

	if (!strcmp(key, "hash_device"))
		return devref_parse(value, &v->hash, e);
	if (!strcmp(key, "fec_device"))
		return devref_parse(value, &v->fec, e);
	if (!strcmp(key, "fstype"))
		return take_fstype(v, value, e);
	r = verity_params_set(&v->verity, key, value, e);
	if (r == -ENOENT)
		return err_set(e, FAIL_KEY_UNKNOWN, EINVAL, "a layer has no key \"%.40s\"", key);
	return r;
}

/* Keys of a layer stand once; the longest list has all of them. */
#define LAYER_KEYS_MAX 16

struct seen_keys {
	size_t count;
	const char *key[LAYER_KEYS_MAX];
};

static int note_key(struct seen_keys *seen, const char *key, struct err *e)
{
	for (size_t i = 0; i < seen->count; i++)
		if (!strcmp(seen->key[i], key))
			return err_set(e, FAIL_KEY_REPEATED, EINVAL, "%.40s= stands twice in a layer",
				       key);
	if (seen->count == LAYER_KEYS_MAX)
		return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG, "a layer has more than %d keys",
			       LAYER_KEYS_MAX);
	seen->key[seen->count++] = key;
	return 0;
}

static int take_layer_keys(struct volume *v, char *pairs, struct err *e)
{
	struct seen_keys seen = { 0 };
	char *pair;
	int r = 0;

	while (!r && (pair = strsep(&pairs, ","))) {
		char *value = strchr(pair, '=');

		if (!value)
			return err_set(e, *pair && !strcmp(pair, "root_hash") ?
						  FAIL_ROOT_HASH_MISSING : FAIL_VALUE_INVALID,
				       EINVAL, "\"%.40s\" in a layer is not key=value", pair);
		*value++ = '\0';
		r = note_key(&seen, pair, e);
		if (!r)
			r = take_layer_key(v, pair, value, e);
	}
	return r;
}

static int check_layer(struct volume *v, struct err *e)
{
	bool has_fec = v->fec.kind != DEVREF_NONE;

	if (has_fec != (v->verity.fec_roots != 0))
		return err_set(e, FAIL_VERITY_PARAMS_INVALID, EINVAL,
			       "fec_device= and fec_roots= go together");
	return verity_params_finish(&v->verity, v->hash.kind == DEVREF_NONE, e);
}

#define LAYER_TEXT_SIZE 2048

static int take_layer(struct boot_plan *plan, const char *value, struct err *e)
{
	struct volume *v = &plan->layer[plan->layers];
	char text[LAYER_TEXT_SIZE], *rest = text, *ref;
	int r;

	if (plan->layers == PLAN_LAYERS_MAX)
		return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG, "there are more than %d layers",
			       PLAN_LAYERS_MAX);
	if (strlen(value) >= sizeof(text))
		return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG, "a layer takes more than %d bytes",
			       LAYER_TEXT_SIZE - 1);
	strcpy(text, value);
	memset(v, 0, sizeof(*v));
	snprintf(v->name, sizeof(v->name), "layer-%zu", plan->layers++);
	verity_params_init(&v->verity);
	ref = strsep(&rest, ",");
	r = devref_parse(ref, &v->data, e);
	if (!r && rest)
		r = take_layer_keys(v, rest, e);
	if (!r)
		r = check_layer(v, e);
	if (r)
		err_volume(e, v->name);
	return r;
}

static const struct key {
	const char *key;
	bool repeated; /* may stand more than once */
	int (*take)(struct boot_plan *plan, const char *value, struct err *e);
} keys[] = {
	{ "layer", true, take_layer },
	{ "upper", false, take_upper },
	{ "agent", false, take_agent },
	{ "timeout", false, take_timeout },
	{ "on_failure", false, take_on_failure },
	{ "on_corruption", false, take_on_corruption },
	{ "report", false, take_report },
};

#define KEYS (sizeof(keys) / sizeof(keys[0]))

static bool key_seen[KEYS];

static int take(const struct cmdline_param *param, struct boot_plan *plan, struct err *e)
{
	const char *key = param->key + strlen(PREFIX);

	if (strncmp(param->key, PREFIX, strlen(PREFIX)))
		return 0;
	for (size_t i = 0; i < KEYS; i++) {
		if (strcmp(keys[i].key, key))
			continue;
		if (key_seen[i] && !keys[i].repeated)
			return err_set(e, FAIL_KEY_REPEATED, EINVAL, PREFIX "%s= stands twice", key);
		key_seen[i] = true;
		if (!param->value)
			return err_set(e, FAIL_VALUE_INVALID, EINVAL, PREFIX "%s has no value", key);
		return keys[i].take(plan, param->value, e);
	}
	return err_set(e, FAIL_KEY_UNKNOWN, EINVAL, "this version knows no " PREFIX "%.60s", key);
}

static int finish(struct boot_plan *plan, struct err *e)
{
	memset(key_seen, 0, sizeof(key_seen));
	if (!plan->layers)
		return err_set(e, FAIL_NO_LAYER, EINVAL, "the command line has no " PREFIX "layer=");
	return 0;
}

const struct dialect dialect_socle = { .name = "socle", .take = take, .finish = finish };
