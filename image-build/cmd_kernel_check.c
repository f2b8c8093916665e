// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* socle-image kernel-check: whether a kernel has what socle needs of it, and why. */
#include <stdio.h>

#include "image-build/command.h"
#include "image-build/kernel/features.h"
#include "image-build/kernel/features_json.h"
#include "image-build/base/json.h"
#include "image-build/kernel/kernel_config.h"
#include "image-build/base/refuse.h"

struct options {
	bool json;
	const char *arch;
	struct option_list features;
};

struct check {
	const char *path;
	struct kernel_config config;
	bool required[FEATURES];
	struct feature_report reports[FEATURES];
};

static int choose_features(struct check *c, const struct option_list *names, struct err *e)
{
	if (!names->count)
		features_defaults(c->required);
	for (size_t i = 0; i < names->count; i++) {
		enum feature f = feature_find(names->at[i]);

		if (f == FEATURES)
			return refuse(e,
				      "--feature %.40s: no such feature; without --feature "
				      "all are listed",
				      names->at[i]);
		c->required[f] = true;
	}
	return 0;
}

static unsigned int count_required(const struct check *c, int state)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < FEATURES; i++)
		count += c->required[i] && (int)c->reports[i].state == state;
	return count;
}

static bool lacks_required(const struct check *c)
{
	return count_required(c, FEATURE_IS_MISSING) || count_required(c, FEATURE_IS_ELSEWHERE);
}

static const char *verdict(const struct check *c)
{
	if (lacks_required(c))
		return "NOT all present";
	if (count_required(c, FEATURE_IS_UNSAID))
		return "not all said; nothing is said to be off";
	return "all present";
}

/* With --feature only those are shown. */
static bool is_shown(const struct check *c, const struct option_list *names, unsigned int feature)
{
	if (names->count)
		return c->required[feature];
	return c->reports[feature].state != FEATURE_IS_ELSEWHERE;
}

static void print_finding(const struct finding *f)
{
	const char *prefix = f->kind == FINDING_OLD ? "Linux " : "CONFIG_";

	printf("    %-16s %s", finding_word(f->kind), prefix);
	/* CONFIG_A or CONFIG_B */
	for (const char *c = f->options; *c; c++)
		if (*c == '|')
			printf(" or %s", prefix);
		else
			putchar(*c);
	if (f->kind == FINDING_MODULE)
		printf(": pack it into the initramfs\n");
	else
		printf(": %s%s\n",
		       f->kind == FINDING_WORSE || f->kind == FINDING_UNSAID ? "without, " : "",
		       f->loss);
}

static void print_text(const struct check *c, const struct options *o)
{
	printf("%s: ", c->path);
	if (c->config.options.version)
		printf("Linux %u.%u, ", c->config.options.version, c->config.options.patch_level);
	printf("%s, %zu options%s\n", kernel_arch_name(c->config.arch), c->config.options.count,
	       c->config.options.whole ? "" : ", not a whole configuration");
	for (unsigned int i = 0; i < FEATURES; i++) {
		const struct feature_report *r = &c->reports[i];

		if (!is_shown(c, &o->features, i))
			continue;
		printf("%-18s %-10s%s %s\n", feature_infos[i].name, feature_state_word(r->state),
		       c->required[i] ? "*" : " ", feature_infos[i].what);
		for (size_t j = 0; j < r->count; j++)
			print_finding(&r->findings[j]);
	}
	printf("* required: %s\n", verdict(c));
}

static void print_json(const struct check *c, const struct options *options)
{
	struct json_object *o = json_object_new_object(), *list = json_object_new_array();
	char version[32];

	json_add_text(o, "file", c->path);
	json_add_text(o, "arch", kernel_arch_name(c->config.arch));
	snprintf(version, sizeof(version), "%u.%u", c->config.options.version,
		 c->config.options.patch_level);
	if (c->config.options.version)
		json_add_text(o, "version", version);
	for (unsigned int i = 0; i < FEATURES; i++)
		if (is_shown(c, &options->features, i))
			json_object_array_add(list, feature_json((enum feature)i, &c->reports[i],
								 c->required[i]));
	json_object_object_add(o, "features", list);
	json_add_bool(o, "whole", c->config.options.whole);
	json_add_bool(o, "ok", !lacks_required(c));
	printf("%s\n",
	       json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
							 JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(o);
}

static int check(struct check *c, const struct options *o, struct err *e)
{
	int r = kernel_config_open(&c->config, c->path, o->arch, e);

	if (!r)
		r = choose_features(c, &o->features, e);
	if (r)
		return r;
	for (unsigned int i = 0; i < FEATURES; i++)
		feature_check(&c->config.options, c->config.arch, (enum feature)i, &c->reports[i]);
	if (o->json)
		print_json(c, o);
	else
		print_text(c, o);
	return 0;
}

static const struct option_row options[] = {
	{ "--arch", "ARCH", offsetof(struct options, arch), option_text, false,
	  "x86_64, s390x or aarch64, where the configuration does not say it" },
	{ "--feature", "NAME", offsetof(struct options, features), option_list, true,
	  "require this feature, and show no other" },
	{ "--json", NULL, offsetof(struct options, json), option_flag, false, "print JSON" },
	{ .name = NULL },
};

static int run(int argc, char **argv)
{
	struct options o = { .json = false };
	struct check c = { .path = NULL };
	struct err e = { .text = "" };
	int status = option_parse(&command_kernel_check, argc, argv, &o, &c.path);

	if (status)
		return status;
	if (err_prefix(&e, check(&c, &o, &e), "%.200s: ", c.path))
		status = command_failed(&e);
	else if (lacks_required(&c))
		status = STATUS_FAILED;
	kernel_config_close(&c.config);
	return status;
}

const struct command command_kernel_check = {
	.name = "kernel-check",
	.summary = "Say what a kernel lacks for booting with socle, and what for",
	.operands = "<config, config.gz or kernel image>",
	.details =
		"An image is read where it was built with CONFIG_IKCONFIG. Without --feature all\n"
		"features are shown, and those marked * are required. A module counts as present;\n"
		"it has to be in the initramfs. What a fragment or the result of savedefconfig\n"
		"leaves out is not said. The status is 1 where a required feature lacks something\n"
		"that is said to be off.",
	.options = options,
	.run = run,
};
