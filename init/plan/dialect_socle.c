// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * Our own keys. They are strict: an unknown one, or a single-valued one that
 * is specified twice, refuses the boot. The grammar is in init/socle-init.8.
 */
#include <errno.h>
#include <string.h>

#include "init/plan/dialect.h"
#include "init/plan/plan_layer.h"
#include "lib/pairs.h"
#include "lib/array.h"
#include "lib/hex.h"
#include "lib/text.h"

#define PREFIX "socle."

#define MANIFEST_TEXT_SIZE 2048 /* bytes of its value, with the NUL */

static int invalid(struct err *e, const char *key, const char *value, const char *takes)
{
	return err_set(e, FAIL_VALUE_INVALID, EINVAL, PREFIX "%s=%.100s: expected %s", key, value,
		       takes);
}

static int take_upper(struct boot_plan *plan, const char *value, struct err *e)
{
	struct upper upper;
	bool disk = text_behind(value, "disk:");
	int r = upper_parse(value, &upper, disk ? e : NULL);

	plan->given.upper = true;
	if (disk)
		r = err_prefix(e, r, PREFIX "upper=: ");
	else if (r || upper.kind == UPPER_DIRECTORY)
		r = invalid(e, "upper", value,
			    "none, tmpfs, tmpfs,size=SIZE (a number above 0 with k, m, g or %) or "
			    "disk:REFERENCE[,encrypted[,integrity]]");
	if (!r)
		plan->upper = upper;
	return r;
}

static int take_agent(struct boot_plan *plan, const char *value, struct err *e)
{
	if (!dialect_is_path(value))
		return invalid(e, "agent", value, "an absolute path without . and ..");
	strcpy(plan->agent, value);
	plan->given.agent = true;
	return 0;
}

static int take_volumes(struct boot_plan *plan, const char *value, struct err *e)
{
	plan->volumes = !strcmp(value, "yes");
	return plan->volumes || !strcmp(value, "no") ? 0 :
						       invalid(e, "volumes", value, "yes or no");
}

static int take_report(struct boot_plan *plan, const char *value, struct err *e)
{
	const char *vsock = text_behind(value, "vsock:");
	uint64_t port = 0;

	if (vsock && !parse_u64(vsock, PLAN_PORT_MAX, &port) && port) {
		plan->failure.vsock_port = (uint32_t)port;
		return 0;
	}
	if (!text_behind(value, "/dev/") || !dialect_is_path(value))
		return invalid(e, "report", value,
			       "a character device, /dev/NAME, or vsock:PORT, 1 to 4294967294");
	strcpy(plan->failure.device, value);
	return 0;
}

static int take_timeout(struct boot_plan *plan, const char *value, struct err *e)
{
	uint64_t seconds;

	if (parse_u64(value, PLAN_TIMEOUT_MAX, &seconds) || !seconds)
		return invalid(e, "timeout", value, "seconds, 1 to 3600");
	plan->timeout_s = (unsigned int)seconds;
	plan->given.timeout = true;
	return 0;
}

/* device,size=BYTES,sha256=HEX */
static int take_manifest(struct boot_plan *plan, const char *value, struct err *e)
{
	struct plan_manifest m = { 0 };
	char text[MANIFEST_TEXT_SIZE], *rest = text;
	struct pairs pairs = { 0 };
	struct pair pair;
	int r = dialect_copy(text, sizeof(text), PREFIX "manifest", value, e);

	if (r)
		return r;
	r = devref_parse(strsep(&rest, ","), &m.device, e);
	if (r)
		return r;
	pairs.rest = rest;
	while ((r = pairs_next(&pairs, &pair, e)) > 0) {
		const char *v = pair.value ? pair.value : "";

		if (!strcmp(pair.key, "size"))
			(void)parse_u64(v, PLAN_MANIFEST_MAX, &m.size_bytes);
		else if (!strcmp(pair.key, "sha256"))
			m.digest_size = hex_decode(v, m.sha256, sizeof(m.sha256));
		else
			return invalid(e, "manifest", value, "only the keys size= and sha256=");
	}
	if (r)
		return r;
	if (m.device.kind == DEVREF_FILE)
		return invalid(e, "manifest", value, "a disk");
	if (!m.size_bytes || m.digest_size != sizeof(m.sha256))
		return invalid(e, "manifest", value,
			       "DEVICE,size=BYTES,sha256=HEX, up to 1048576 bytes and 64 digits");
	plan->manifest = m;
	return 0;
}

static int take_on_failure(struct boot_plan *plan, const char *value, struct err *e)
{
	int chosen = text_find(plan_on_failure_words, value, strlen(value));

	if (chosen < 0)
		return invalid(e, "on_failure", value, "poweroff, reboot, panic or halt");
	plan->failure.how = (enum plan_on_failure)chosen;
	return 0;
}

static int take_on_corruption(struct boot_plan *plan, const char *value, struct err *e)
{
	int chosen = text_find(verity_corruption_words, value, strlen(value));

	if (chosen < 0)
		return invalid(e, "on_corruption", value, "panic, restart or eio");
	plan->on_corruption = (enum verity_corruption)chosen;
	plan->given.on_corruption = true;
	return 0;
}

static int take_layer(struct boot_plan *plan, const char *value, struct err *e)
{
	struct volume *v;
	int r = layer_begin(plan, &v, e);

	if (r)
		return r;
	r = layer_set_all(plan, v, value, e);
	if (!r)
		r = volume_finish(v, e);
	return err_volume(e, r, v->name);
}

static const struct key {
	const char *key;
	bool repeated; /* may stand more than once */
	int (*take)(struct boot_plan *plan, const char *value, struct err *e);
} keys[] = {
	{ "layer", true, take_layer },
	{ "upper", false, take_upper },
	{ "agent", false, take_agent },
	{ "volumes", false, take_volumes },
	{ "timeout", false, take_timeout },
	{ "on_failure", false, take_on_failure },
	{ "on_corruption", false, take_on_corruption },
	{ "report", false, take_report },
	{ "manifest", false, take_manifest },
};

int dialect_socle_set(struct boot_plan *plan, const char *key, const char *value, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (strcmp(keys[i].key, key))
			continue;
		if (plan->keys_seen & 1U << i && !keys[i].repeated)
			return err_set(e, FAIL_KEY_REPEATED, EINVAL,
				       PREFIX "%s= is specified twice", key);
		plan->keys_seen |= 1U << i;
		if (!value)
			return err_set(e, FAIL_VALUE_INVALID, EINVAL, PREFIX "%s has no value",
				       key);
		return keys[i].take(plan, value, e);
	}
	return err_set(e, FAIL_KEY_UNKNOWN, EINVAL, "this version does not know " PREFIX "%.60s",
		       key);
}

/* In front of the others: where the line ends early, it is the last that is lost. */
static int take_length(struct socle_words *words, const char *value, struct err *e)
{
	if (words->length_given)
		return err_set(e, FAIL_KEY_REPEATED, EINVAL, PREFIX "length= is specified twice");
	words->length_given = true;
	if (words->count)
		return err_set(e, FAIL_VALUE_INVALID, EINVAL,
			       PREFIX "length= must come before every other " PREFIX "* word");
	if (!value || parse_u64(value, CMDLINE_SIZE - 1, &words->length))
		return invalid(e, "length", value ? value : "", "bytes, 0 to 32767");
	return 0;
}

bool socle_words_lost(const struct socle_words *words)
{
	return words->length_given && words->bytes < words->length;
}

int socle_words_check(const struct socle_words *words, struct err *e)
{
	if (socle_words_lost(words))
		return err_set(e, FAIL_CMDLINE_TRUNCATED, E2BIG,
			       "the command line was cut: its " PREFIX
			       "* words have %zu bytes of the "
			       "%llu that " PREFIX "length= says",
			       words->bytes, (unsigned long long)words->length);
	if (words->length_given && words->bytes != words->length)
		return err_set(e, FAIL_VALUE_INVALID, EINVAL,
			       PREFIX "length=%llu: the other " PREFIX "* words have %zu bytes",
			       (unsigned long long)words->length, words->bytes);
	if (!words->length_given && words->count > 1)
		return err_set(e, FAIL_VALUE_INVALID, EINVAL,
			       "there are %zu " PREFIX "* words, and no " PREFIX
			       "length=%zu in front "
			       "of them",
			       words->count, words->bytes);
	return 0;
}

static int take(const struct cmdline_param *param, struct line_keys *line, struct boot_plan *plan,
		struct err *e)
{
	struct socle_words *words = &line->socle;
	const char *key = text_behind(param->key, PREFIX);

	if (!key)
		return 0;
	if (!strcmp(key, "length"))
		return take_length(words, param->value, e);
	words->count++;
	words->bytes += strlen(param->key) + (param->value ? 1 + strlen(param->value) : 0);
	/* What a boot loader puts behind a line that was cut there would count as its value. */
	if (param->open_quote)
		return err_set(e, FAIL_CMDLINE_TRUNCATED, EINVAL,
			       "the command line was cut: it ends inside the quotes of " PREFIX
			       "%.60s",
			       key);
	return dialect_socle_set(plan, key, param->value, e);
}

static int finish(struct line_keys *line, struct boot_plan *plan, struct err *e)
{
	(void)line;
	return plan->layers ? plan_claim(plan, dialect_socle.name, e) : 0;
}

const struct dialect dialect_socle = { .name = "socle.layer=", .take = take, .finish = finish };
