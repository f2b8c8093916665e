// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/kernel/features.h"

#include <string.h>

#include "image-build/base/refuse.h"
#include "lib/array.h"

#define ANY     ARCH_ANY
#define X86_64  ARCH_X86_64
#define S390X   ARCH_S390X
#define AARCH64 ARCH_AARCH64

#define FEATURE(id, name, archs, by_default, what)                                                 \
	[FEATURE_##id] = { name, archs, by_default, what },
const struct feature_info feature_infos[FEATURES] = {
#include "kernel-config/features.def"
};

struct rule {
	enum feature feature;
	enum { RULE_NEEDS, RULE_BUILT_IN, RULE_HELPS, RULE_SINCE, RULE_GUARD } kind;
	unsigned int archs;
	const char *options; /* for RULE_SINCE the version in words */
	const char *loss;
	unsigned int version, patch_level; /* RULE_SINCE */
	const char *causes;                /* RULE_GUARD */
};

#define RULE(its_feature, its_kind, its_archs, its_options, its_loss, ...)                         \
	{ .feature = its_feature,                                                                  \
	  .kind = its_kind,                                                                        \
	  .archs = its_archs,                                                                      \
	  .options = its_options,                                                                  \
	  .loss = its_loss,                                                                        \
	  __VA_ARGS__ },
#define NEEDS(id, archs, options, loss)    RULE(FEATURE_##id, RULE_NEEDS, archs, options, loss)
#define BUILT_IN(id, archs, options, loss) RULE(FEATURE_##id, RULE_BUILT_IN, archs, options, loss)
#define HELPS(id, archs, options, loss)    RULE(FEATURE_##id, RULE_HELPS, archs, options, loss)
#define SINCE(id, major, minor, loss)                                                              \
	RULE(FEATURE_##id, RULE_SINCE, ARCH_ANY, #major "." #minor, loss, .version = major,        \
	     .patch_level = minor)
#define GUARD(id, archs, against, options, loss)                                                   \
	RULE(FEATURE_##id, RULE_GUARD, archs, options, loss, .causes = against)
static const struct rule rules[] = {
#include "kernel-config/features.def"
};

#define MODULE(option, names) { option, names },
static const struct {
	const char *option, *names;
} module_names[] = {
#include "kernel-config/features.def"
};

enum feature feature_find(const char *name)
{
	unsigned int i = 0;

	while (i < FEATURES && strcmp(name, feature_infos[i].name))
		i++;
	return (enum feature)i;
}

/* The best that one of "A|B|C" has; what follows a '&' is not looked at. */
static enum kconfig_state best_state(const struct kconfig *k, const char *options)
{
	enum kconfig_state best = KCONFIG_OFF;

	do {
		size_t size = strcspn(options, "|&");
		enum kconfig_state state = kconfig_state(k, options, size);

		if (state > best)
			best = state;
		options += size;
	} while (*options++ == '|');
	return best;
}

/* Whether of "A|B&C|D" one of each part is built in: BUILT_IN, OFF or UNSAID. */
static enum kconfig_state all_built_in(const struct kconfig *k, const char *causes)
{
	enum kconfig_state all = KCONFIG_BUILT_IN, one;

	do {
		one = best_state(k, causes);
		if (one == KCONFIG_UNSAID)
			all = KCONFIG_UNSAID;
		else if (one != KCONFIG_BUILT_IN)
			return KCONFIG_OFF;
		causes += strcspn(causes, "&");
	} while (*causes++);
	return all;
}

/* What guards may be a string. */
static bool apply_guard(const struct kconfig *k, const struct rule *rule, struct finding *ret)
{
	enum kconfig_state cause = all_built_in(k, rule->causes);
	enum kconfig_state state = best_state(k, rule->options);

	if (cause == KCONFIG_OFF || state == KCONFIG_VALUE || state == KCONFIG_BUILT_IN)
		return false;
	ret->kind = cause == KCONFIG_UNSAID || state == KCONFIG_UNSAID ? FINDING_UNSAID :
									 FINDING_MISSING;
	return true;
}

/* A kernel that does not say its version is not held against one. */
static bool is_older(const struct kconfig *k, const struct rule *rule)
{
	if (!k->version)
		return false;
	return k->version < rule->version ||
	       (k->version == rule->version && k->patch_level < rule->patch_level);
}

/* Whether a rule has something to say, and what. */
static bool apply(const struct kconfig *k, const struct rule *rule, struct finding *ret)
{
	enum kconfig_state state;

	*ret = (struct finding){
		.options = rule->options,
		.loss = rule->loss,
		.optional = rule->kind == RULE_HELPS,
	};
	if (rule->kind == RULE_SINCE) {
		ret->kind = FINDING_OLD;
		return is_older(k, rule);
	}
	if (rule->kind == RULE_GUARD)
		return apply_guard(k, rule, ret);
	state = best_state(k, rule->options);
	if (state == KCONFIG_BUILT_IN)
		return false;
	if (state == KCONFIG_UNSAID)
		ret->kind = FINDING_UNSAID;
	else if (state == KCONFIG_MODULE)
		ret->kind = rule->kind == RULE_BUILT_IN ? FINDING_LATE : FINDING_MODULE;
	else
		ret->kind = rule->kind == RULE_HELPS ? FINDING_WORSE : FINDING_MISSING;
	return true;
}

/* The worst state so far; what merely helps changes none. */
static void add_finding(struct feature_report *r, const struct finding *f)
{
	if (r->count < FINDINGS_MAX)
		r->findings[r->count++] = *f;
	if (f->optional)
		return;
	if (f->kind != FINDING_MODULE && f->kind != FINDING_UNSAID)
		r->state = FEATURE_IS_MISSING;
	else if (f->kind == FINDING_UNSAID && r->state != FEATURE_IS_MISSING)
		r->state = FEATURE_IS_UNSAID;
	else if (r->state == FEATURE_IS_BUILT_IN)
		r->state = FEATURE_IS_MODULAR;
}

void feature_check(const struct kconfig *k, enum kernel_arch arch, enum feature feature,
		   struct feature_report *ret)
{
	struct finding f;

	*ret = (struct feature_report){ .state = FEATURE_IS_BUILT_IN };
	if (!(feature_infos[feature].archs & arch)) {
		ret->state = FEATURE_IS_ELSEWHERE;
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (rules[i].feature == feature && rules[i].archs & arch && apply(k, &rules[i], &f))
			add_finding(ret, &f);
}

bool feature_rule(enum feature feature, enum kernel_arch arch, size_t index,
		  struct feature_rule *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		const struct rule *rule = &rules[i];

		if (rule->feature != feature ||
		    (rule->kind != RULE_NEEDS && rule->kind != RULE_HELPS) ||
		    (rule->archs != ARCH_ANY && !(rule->archs & arch)) || index--)
			continue;
		ret->options = rule->options;
		ret->optional = rule->kind == RULE_HELPS;
		return true;
	}
	return false;
}

const char *feature_module_names(const char *option, size_t size)
{
	for (size_t i = 0; i < ARRAY_SIZE(module_names); i++)
		if (strlen(module_names[i].option) == size &&
		    !memcmp(module_names[i].option, option, size))
			return module_names[i].names;
	return NULL;
}

void features_defaults(bool ret_required[FEATURES])
{
	for (unsigned int i = 0; i < FEATURES; i++)
		ret_required[i] = feature_infos[i].by_default;
}

static bool is_fatal(const struct finding *f, bool modules)
{
	if (f->optional || f->kind == FINDING_UNSAID)
		return false;
	return f->kind != FINDING_MODULE || !modules;
}

static int refuse_feature(const char *name, const struct finding *f, struct err *e)
{
	static const char *const words[] = {
		[FINDING_MISSING] = "off",
		[FINDING_MODULE] = "a module, and no modules are packed",
		[FINDING_LATE] = "a module, and has to be built in",
		[FINDING_OLD] = NULL,
		[FINDING_WORSE] = NULL,
		[FINDING_UNSAID] = NULL,
	};

	if (f->kind == FINDING_OLD)
		err_set(e, FAIL_KERNEL_FEATURE_MISSING, ENOTSUP,
			"%s: it is older than Linux %s: %s", name, f->options, f->loss);
	else
		err_set(e, FAIL_KERNEL_FEATURE_MISSING, ENOTSUP, "%s: CONFIG_%s is %s: %s", name,
			f->options, words[f->kind], f->loss);
	return -ENOTSUP;
}

int features_require(const struct kconfig *k, enum kernel_arch arch, const bool required[FEATURES],
		     bool modules, struct err *e)
{
	struct feature_report report;

	for (unsigned int i = 0; i < FEATURES; i++) {
		if (!required[i])
			continue;
		feature_check(k, arch, (enum feature)i, &report);
		for (size_t j = 0; j < report.count; j++)
			if (is_fatal(&report.findings[j], modules))
				return refuse_feature(feature_infos[i].name, &report.findings[j],
						      e);
	}
	return 0;
}
