// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "init/plan/policy.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "lib/array.h"

/* Each key has two words: the first one leaves its field false, the default. */
static const struct {
	const char *key, *default_word, *other_word;
	size_t offset;
} keys[] = {
	{ "verity", "required", "optional", offsetof(struct policy, verity_optional) },
	{ "signature", "optional", "required", offsetof(struct policy, signature_required) },
	{ "modules", "open", "locked", offsetof(struct policy, modules_locked) },
	{ "on_corruption", "any", "stop", offsetof(struct policy, corruption_stops) },
};

static int invalid(struct err *e, const char *line)
{
	return err_set(e, FAIL_VALUE_INVALID, EINVAL, POLICY_FILE ": invalid line \"%.60s\"", line);
}

static int take_line(char *line, struct policy *policy, unsigned int *seen, struct err *e)
{
	char *value = strchr(line, '=');

	if (!value)
		return invalid(e, line);
	*value++ = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (strcmp(line, keys[i].key))
			continue;
		if (*seen & 1U << i)
			return err_set(e, FAIL_KEY_REPEATED, EINVAL,
				       POLICY_FILE ": %s= is specified twice", line);
		*seen |= 1U << i;
		if (strcmp(value, keys[i].default_word) && strcmp(value, keys[i].other_word)) {
			value[-1] = '=';
			return invalid(e, line);
		}
		*(bool *)((char *)policy + keys[i].offset) = !strcmp(value, keys[i].other_word);
		return 0;
	}
	return err_set(e, FAIL_KEY_UNKNOWN, EINVAL, POLICY_FILE ": unknown key %.40s", line);
}

int policy_parse(char *text, struct policy *ret, struct err *e)
{
	struct policy policy = { 0 };
	unsigned int seen = 0;
	char *line;
	int r = 0;

	while (!r && (line = strsep(&text, "\n")))
		if (*line && *line != '#')
			r = take_line(line, &policy, &seen, e);
	if (!r)
		*ret = policy;
	return r;
}

static int check_volume(const struct policy *policy, const struct volume *v, struct err *e)
{
	int r = 0;

	if (v->proof == VOLUME_RAW && !policy->verity_optional)
		r = err_set(e, FAIL_POLICY_REFUSED, EPERM,
			    "nothing proves %s, and the policy of this initramfs requires verity",
			    v->name);
	else if (policy->signature_required && !verity_signature_asked(&v->signature))
		r = err_set(
			e, FAIL_POLICY_REFUSED, EPERM,
			"the root hash of %s has no signature, and the policy of this initramfs "
			"requires one",
			v->name);
	return err_volume(e, r, v->name);
}

int policy_check(const struct policy *policy, const struct boot_plan *plan, struct err *e)
{
	const struct volume *v;
	int r = 0;

	for (size_t i = 0; !r && (v = plan_volume(plan, i)); i++)
		r = check_volume(policy, v, e);
	if (!r && policy->corruption_stops && plan->on_corruption == VERITY_ON_CORRUPTION_EIO)
		r = err_set(e, FAIL_POLICY_REFUSED, EPERM,
			    "socle.on_corruption=eio lets a guest go on after corruption, "
			    "and the policy of this initramfs forbids it");
	return r;
}
