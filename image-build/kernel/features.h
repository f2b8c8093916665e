/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_KERNEL_FEATURES_H
#define IMAGE_BUILD_KERNEL_FEATURES_H

#include <stdbool.h>
#include <stddef.h>

#include "image-build/kernel/arch.h"
#include "image-build/kernel/kconfig.h"
#include "lib/err.h"

/* Holds a kernel's options against kernel-config/features.def. Pure. */

enum feature {
#define FEATURE(id, name, archs, by_default, what) FEATURE_##id,
#include "kernel-config/features.def"
	FEATURES,
};

struct feature_info {
	const char *name;
	unsigned int archs; /* enum kernel_arch, or'ed */
	bool by_default;
	const char *what;
};

extern const struct feature_info feature_infos[FEATURES];

/* By name; FEATURES where there is none. */
enum feature feature_find(const char *name);

/* One thing that was found out about a feature. */
struct finding {
	enum {
		FINDING_MISSING, /* none of the options is there */
		FINDING_MODULE,  /* the option is m: it must be packed and loaded */
		FINDING_LATE,    /* the option is m, and that is too late */
		FINDING_OLD,     /* the kernel is too old */
		FINDING_WORSE,   /* works without the option, but not as well */
		FINDING_UNSAID,  /* a part of a configuration, which does not say */
	} kind;
	const char *options; /* "A|B", without CONFIG_; the version for FINDING_OLD */
	const char *loss;    /* what does not work */
	bool optional;       /* the feature is there without it */
};

#define FINDINGS_MAX 48 /* more rules than any feature has; checked by a test */

struct feature_report {
	enum {
		FEATURE_IS_BUILT_IN,
		FEATURE_IS_MODULAR, /* there, when modules are packed */
		FEATURE_IS_UNSAID,  /* nothing that it needs is said to be off, but not all is said
				     */
		FEATURE_IS_MISSING,
		FEATURE_IS_ELSEWHERE, /* another architecture's */
	} state;
	size_t count;
	struct finding findings[FINDINGS_MAX];
};

void feature_check(const struct kconfig *k, enum kernel_arch arch, enum feature feature,
		   struct feature_report *ret);

/*
 * The index-th of a feature's rules that a module can fulfil, on this architecture;
 * false behind the last.
 */
struct feature_rule {
	const char *options; /* "A|B", one of which will do */
	bool optional;       /* the feature is there without it */
};
bool feature_rule(enum feature feature, enum kernel_arch arch, size_t index,
		  struct feature_rule *ret);

/* What an option is called as a module ("new|old"); NULL where it is none. */
const char *feature_module_names(const char *option, size_t size);

/* Mark what a check without names requires. */
void features_defaults(bool ret_required[FEATURES]);

/*
 * Whether none of the marked features is missing, as one sentence that names the
 * first option that is: for whoever is about to use the kernel. modules: that some
 * are packed, so what is a module counts as there.
 */
int features_require(const struct kconfig *k, enum kernel_arch arch, const bool required[FEATURES],
		     bool modules, struct err *e);

#endif
