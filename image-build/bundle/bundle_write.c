// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/bundle/bundle.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>

#include "image-build/base/json.h"
#include "image-build/base/memory.h"
#include "image-build/base/output.h"
#include "image-build/base/refuse.h"
#include "image-build/kernel/features_json.h"
#include "image-build/kernel/kernel_config.h"

static int add_file(const struct bundle_parts *p, struct json_object *to, const char *key,
		    const char *name, struct err *e)
{
	struct json_object *file;
	int r = bundle_file(p->directory, name, &file, e);

	if (!r)
		json_object_object_add(to, key, file);
	return r;
}

/* What image.json says of a disk, and the digest that it lacks. */
static int add_disk(const struct bundle_parts *p, struct json_object *list,
		    struct json_object *layer, struct err *e)
{
	struct json_object *disk, *name;
	int r;

	json_object_object_get_ex(layer, "file", &name);
	r = bundle_file(p->directory, json_object_get_string(name), &disk, e);
	if (r)
		return r;
	json_object_object_foreach(layer, key,
				   value) if (!json_object_object_get_ex(disk, key, NULL))
		json_object_object_add(disk, key, json_object_get(value));
	json_object_array_add(list, disk);
	return 0;
}

static int add_disks(const struct bundle_parts *p, struct json_object *manifest, struct err *e)
{
	struct json_object *layers, *image, *list = json_object_new_array();
	int r = 0;

	json_object_object_add(manifest, "disks", list);
	if (json_object_object_get_ex(p->image, "image", &image))
		json_object_object_add(manifest, "image", json_object_get(image));
	if (!json_object_object_get_ex(p->image, "layers", &layers))
		return refuse(e, "%s has no layers", BUNDLE_IMAGE);
	for (size_t i = 0; !r && i < json_object_array_length(layers); i++)
		r = add_disk(p, list, json_object_array_get_idx(layers, i), e);
	return r;
}

/* The packages that /init was made of stand beside it, a line each: see deps/recipe.sh. */
static int add_sources(const struct bundle_parts *p, struct json_object *manifest, struct err *e)
{
	char *init auto_text = memory_text(p->init);
	char *path auto_text = memory_printf("%s/sources", dirname(init));
	FILE *file = fopen(path, "re");
	struct json_object *list;
	char line[1024];

	if (!file)
		return errno == ENOENT ? 0 : system_failed(e, "open %s", path);
	list = json_object_new_array();
	while (fgets(line, sizeof(line), file)) {
		char package[128], version[128], sha256[80];
		struct json_object *o;

		if (sscanf(line, "%*s %127s %127s %79s", package, version, sha256) != 3)
			continue;
		o = json_object_new_object();
		json_add_text(o, "package", package);
		json_add_text(o, "version", version);
		json_add_text(o, "sha256", sha256);
		json_object_array_add(list, o);
	}
	fclose(file);
	json_object_object_add(manifest, "guest_sources", list);
	return 0;
}

/* A kernel that does not tell its configuration boots as well, but nobody knows. */
static void add_kernel_check(const struct bundle_parts *p, struct json_object *manifest)
{
	struct json_object *o = json_object_new_object(), *list;
	bool required[FEATURES] = { false };
	struct kernel_config config;
	struct err e = { .text = "" };

	json_object_object_add(manifest, "kernel_check", o);
	if (!p->kernel_config || kernel_config_open(&config, p->kernel_config, NULL, &e)) {
		json_add_text(o, "unknown", p->kernel_config ? e.text : "not at hand");
		return;
	}
	features_defaults(required);
	list = json_object_new_array();
	for (unsigned int i = 0; i < FEATURES; i++) {
		struct feature_report report;

		feature_check(&config.options, config.arch, (enum feature)i, &report);
		if (report.state != FEATURE_IS_ELSEWHERE)
			json_object_array_add(list,
					      feature_json((enum feature)i, &report, required[i]));
	}
	json_object_object_add(o, "features", list);
	kernel_config_close(&config);
}

static int fill(const struct bundle_parts *p, struct json_object *manifest, struct err *e)
{
	int r;

	json_add_number(manifest, "version", 1);
	json_add_text(manifest, "arch", kernel_arch_name(p->arch));
	if (p->agent)
		json_add_text(manifest, "agent", p->agent);
	r = add_file(p, manifest, "kernel", BUNDLE_KERNEL, e);
	if (!r)
		r = add_file(p, manifest, "initramfs", BUNDLE_INITRAMFS, e);
	if (!r)
		r = add_file(p, manifest, "cmdline", BUNDLE_CMDLINE, e);
	if (!r)
		r = add_disks(p, manifest, e);
	if (!r)
		r = add_sources(p, manifest, e);
	if (!r)
		add_kernel_check(p, manifest);
	return r;
}

int bundle_write(const struct bundle_parts *p, struct err *e)
{
	struct json_object *manifest = json_object_new_object();
	char *path auto_text = memory_printf("%s/" BUNDLE_MANIFEST, p->directory);
	char *text auto_text = NULL;
	int r = fill(p, manifest, e);

	text = memory_printf("%s\n",
			     json_object_to_json_string_ext(
				     manifest, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
						       JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(manifest);
	return r ? r : output_write(path, text, strlen(text), e);
}
