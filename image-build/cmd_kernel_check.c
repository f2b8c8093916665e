// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* socle-image kernel-check: whether a kernel has what socle needs of it, and why. */
#include <fcntl.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image-build/command.h"
#include "image-build/features.h"
#include "image-build/ikconfig.h"
#include "image-build/memory.h"
#include "image-build/refuse.h"
#include "lib/cleanup.h"
#include "lib/io.h"

#define CHUNK (1 << 20)

struct options {
	bool json;
	const char *arch;
	struct option_list features;
};

struct check {
	const char *path;
	char *text; /* what the options' names point into */
	struct kconfig config;
	enum kernel_arch arch;
	bool required[FEATURES];
	struct feature_report reports[FEATURES];
};

static const char *const state_words[] = {
	[FEATURE_IS_BUILT_IN] = "built in",
	[FEATURE_IS_MODULAR] = "module",
	[FEATURE_IS_MISSING] = "missing",
	[FEATURE_IS_ELSEWHERE] = "other architecture",
};

static const char *const finding_words[] = {
	[FINDING_MISSING] = "missing",       [FINDING_MODULE] = "module",
	[FINDING_LATE] = "must be built in", [FINDING_OLD] = "too old",
	[FINDING_WORSE] = "advice",
};

/* To the end, whatever stat says: /proc/config.gz has a size of 0. */
static int read_file(const char *path, uint8_t **ret, size_t *ret_size, struct err *e)
{
	int fd auto_fd = open(path, O_RDONLY | O_CLOEXEC);
	uint8_t *bytes = NULL;
	size_t size = 0, room = 0;
	ssize_t n;

	if (fd < 0)
		return system_failed(e, "open");
	do {
		/* In pieces of CHUNK; one more than the limit is read to see that it is one. */
		bytes = memory_grow(bytes, size / CHUNK, &room, CHUNK);
		n = io_read(fd, bytes + size, CHUNK);
		size += n > 0 ? (size_t)n : 0;
	} while (n == CHUNK && size <= IKCONFIG_IMAGE_MAX);
	if (n < 0) {
		free(bytes);
		return system_error(e, (int)-n, "read");
	}
	*ret = bytes;
	*ret_size = size;
	return 0;
}

static int read_config(struct check *c, struct err *e)
{
	uint8_t *bytes = NULL;
	size_t size, text_size;
	int r = read_file(c->path, &bytes, &size, e);

	if (!r)
		r = ikconfig_text(bytes, size, &c->text, &text_size, e);
	free(bytes);
	if (!r)
		r = kconfig_parse(c->text, text_size, &c->config, e);
	return r;
}

static int choose_arch(struct check *c, const char *asked, struct err *e)
{
	c->arch = c->config.arch;
	if (asked) {
		c->arch = kernel_arch_parse(asked);
		if (!c->arch)
			return refuse(e, "--arch %.40s: not x86_64, s390x or aarch64", asked);
		if (c->config.arch && c->config.arch != c->arch)
			return refuse(e, "it is for %s, not for %s",
				      kernel_arch_name(c->config.arch), kernel_arch_name(c->arch));
	}
	if (!c->arch)
		return refuse(e, "it does not say its architecture; name one with --arch");
	return 0;
}

static int choose_features(struct check *c, const struct option_list *names, struct err *e)
{
	for (unsigned int i = 0; i < FEATURES; i++)
		c->required[i] = !names->count && feature_infos[i].by_default;
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

static bool has_required(const struct check *c)
{
	for (unsigned int i = 0; i < FEATURES; i++)
		if (c->required[i] && c->reports[i].state != FEATURE_IS_BUILT_IN &&
		    c->reports[i].state != FEATURE_IS_MODULAR)
			return false;
	return true;
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

	printf("    %-16s %s", finding_words[f->kind], prefix);
	/* CONFIG_A or CONFIG_B */
	for (const char *c = f->options; *c; c++)
		if (*c == '|')
			printf(" or %s", prefix);
		else
			putchar(*c);
	if (f->kind == FINDING_MODULE)
		printf(": pack it into the initramfs\n");
	else
		printf(": %s%s\n", f->kind == FINDING_WORSE ? "without, " : "", f->loss);
}

static void print_text(const struct check *c, const struct options *o)
{
	printf("%s: ", c->path);
	if (c->config.version)
		printf("Linux %u.%u, ", c->config.version, c->config.patch_level);
	printf("%s, %zu options\n", kernel_arch_name(c->arch), c->config.count);
	for (unsigned int i = 0; i < FEATURES; i++) {
		const struct feature_report *r = &c->reports[i];

		if (!is_shown(c, &o->features, i))
			continue;
		printf("%-18s %-10s%s %s\n", feature_infos[i].name, state_words[r->state],
		       c->required[i] ? "*" : " ", feature_infos[i].what);
		for (size_t j = 0; j < r->count; j++)
			print_finding(&r->findings[j]);
	}
	printf("* required: %s\n", has_required(c) ? "all there" : "NOT all there");
}

static struct json_object *findings_json(const struct feature_report *r)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < r->count; i++) {
		const struct finding *f = &r->findings[i];
		struct json_object *o = json_object_new_object();

		json_object_object_add(o, "kind", json_object_new_string(finding_words[f->kind]));
		json_object_object_add(o, f->kind == FINDING_OLD ? "since" : "options",
				       json_object_new_string(f->options));
		json_object_object_add(o, "loss", json_object_new_string(f->loss));
		json_object_array_add(list, o);
	}
	return list;
}

static struct json_object *feature_json(const struct check *c, unsigned int feature)
{
	struct json_object *o = json_object_new_object();
	const struct feature_report *r = &c->reports[feature];

	json_object_object_add(o, "name", json_object_new_string(feature_infos[feature].name));
	json_object_object_add(o, "state", json_object_new_string(state_words[r->state]));
	json_object_object_add(o, "required", json_object_new_boolean(c->required[feature]));
	json_object_object_add(o, "findings", findings_json(r));
	return o;
}

static void print_json(const struct check *c, const struct options *options)
{
	struct json_object *o = json_object_new_object(), *list = json_object_new_array();
	char version[32];

	json_object_object_add(o, "file", json_object_new_string(c->path));
	json_object_object_add(o, "arch", json_object_new_string(kernel_arch_name(c->arch)));
	snprintf(version, sizeof(version), "%u.%u", c->config.version, c->config.patch_level);
	if (c->config.version)
		json_object_object_add(o, "version", json_object_new_string(version));
	for (unsigned int i = 0; i < FEATURES; i++)
		if (is_shown(c, &options->features, i))
			json_object_array_add(list, feature_json(c, i));
	json_object_object_add(o, "features", list);
	json_object_object_add(o, "ok", json_object_new_boolean(has_required(c)));
	printf("%s\n",
	       json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
							 JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(o);
}

static int check(struct check *c, const struct options *o, struct err *e)
{
	int r = read_config(c, e);

	if (!r)
		r = choose_arch(c, o->arch, e);
	if (!r)
		r = choose_features(c, &o->features, e);
	if (r)
		return r;
	for (unsigned int i = 0; i < FEATURES; i++)
		feature_check(&c->config, c->arch, (enum feature)i, &c->reports[i]);
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
	if (check(&c, &o, &e)) {
		err_prefix(&e, "%.200s: ", c.path);
		status = command_failed(&e);
	} else if (!has_required(&c)) {
		status = STATUS_FAILED;
	}
	kconfig_free(&c.config);
	free(c.text);
	return status;
}

const struct command command_kernel_check = {
	.name = "kernel-check",
	.summary = "Say what a kernel lacks for booting with socle, and what for",
	.operands = "<config, config.gz or kernel image>",
	.details =
		"An image is read where it was built with CONFIG_IKCONFIG. Without --feature all\n"
		"features are shown, and those marked * are required. A module counts as there;\n"
		"it has to be in the initramfs. The status is 1 where a required feature lacks\n"
		"something.",
	.options = options,
	.run = run,
};
