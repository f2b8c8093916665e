// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/policy.h"

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

static int invalid(struct err *e, const char *name, const char *line)
{
	return err_set(e, FAIL_VALUE_INVALID, EINVAL, "%s: invalid line \"%.60s\"", name, line);
}

static int take_line(const char *name, char *line, struct policy *policy, unsigned int *seen,
		     struct err *e)
{
	char *value = strchr(line, '=');

	if (!value)
		return invalid(e, name, line);
	*value++ = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (strcmp(line, keys[i].key))
			continue;
		if (*seen & 1U << i)
			return err_set(e, FAIL_KEY_REPEATED, EINVAL, "%s: %s= is specified twice",
				       name, line);
		*seen |= 1U << i;
		if (strcmp(value, keys[i].default_word) && strcmp(value, keys[i].other_word)) {
			value[-1] = '=';
			return invalid(e, name, line);
		}
		*(bool *)((char *)policy + keys[i].offset) = !strcmp(value, keys[i].other_word);
		return 0;
	}
	return err_set(e, FAIL_KEY_UNKNOWN, EINVAL, "%s: unknown key %.40s", name, line);
}

int policy_parse(const char *name, char *text, size_t size, struct policy *ret, struct err *e)
{
	struct policy policy = { 0 };
	unsigned int seen = 0;
	char *line;
	int r = 0;

	/* What stands behind it would not count. */
	if (strlen(text) != size)
		return err_set(e, FAIL_VALUE_INVALID, EINVAL, "%s has a NUL in it", name);
	while (!r && (line = strsep(&text, "\n")))
		if (*line && *line != '#')
			r = take_line(name, line, &policy, &seen, e);
	if (!r)
		*ret = policy;
	return r;
}

int policy_check_volume(const struct policy *policy, const struct volume *v, struct err *e)
{
	int r = 0;

	if (v->proof == VOLUME_RAW && !policy->verity_optional)
		r = err_set(e, FAIL_POLICY_REFUSED, EPERM,
			    "nothing proves %s, and the policy of this guest requires verity",
			    v->name);
	else if (policy->signature_required && !verity_signature_asked(&v->signature))
		r = err_set(e, FAIL_POLICY_REFUSED, EPERM,
			    "the root hash of %s has no signature, and the policy of this guest "
			    "requires one",
			    v->name);
	return err_volume(e, r, v->name);
}

int policy_check_corruption(const struct policy *policy, enum verity_corruption on_corruption,
			    struct err *e)
{
	if (!policy->corruption_stops || on_corruption != VERITY_ON_CORRUPTION_EIO)
		return 0;
	return err_set(e, FAIL_POLICY_REFUSED, EPERM,
		       "on_corruption=eio lets a guest go on after corruption, and the policy of "
		       "this guest forbids it");
}

/* A host reads what is written there, and changes what will be read again. */
int policy_check_upper(const struct policy *policy, const struct upper *u, struct err *e)
{
	if (policy->verity_optional || u->kind != UPPER_DISK || u->encrypted)
		return 0;
	return err_set(e, FAIL_POLICY_REFUSED, EPERM,
		       "nothing protects what is written to a scratch disk without \",encrypted\", "
		       "and the policy of this guest requires verity");
}

int policy_check_stack(const struct policy *policy, const struct stack *s,
		       enum verity_corruption on_corruption, struct err *e)
{
	int r = 0;

	for (size_t i = 0; !r && i < s->count; i++)
		r = policy_check_volume(policy, &s->volume[i], e);
	if (!r)
		r = policy_check_upper(policy, &s->upper, e);
	return r ? r : policy_check_corruption(policy, on_corruption, e);
}
