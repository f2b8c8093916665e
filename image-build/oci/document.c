// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/oci/document.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "image-build/base/limits.h"
#include "image-build/base/refuse.h"
#include "lib/array.h"

#define JSON_DEPTH 32

int document_parse(const char *text, size_t size, const char *name, enum json_type type,
		   struct json_object **ret, struct err *e)
{
	struct json_tokener *tokener = json_tokener_new_ex(JSON_DEPTH);
	struct json_object *o;
	const char *why;

	o = json_tokener_parse_ex(tokener, text, (int)size + 1);
	why = json_tokener_error_desc(json_tokener_get_error(tokener));
	json_tokener_free(tokener);
	if (o && json_object_is_type(o, type)) {
		*ret = o;
		return 0;
	}
	json_object_put(o);
	return refuse(e, "%s is not a JSON %s: %s", name, json_type_to_name(type),
		      o ? "another type" : why);
}

struct json_object *document_member(struct json_object *o, const char *key, enum json_type type)
{
	struct json_object *value = NULL;

	if (!json_object_is_type(o, json_type_object) ||
	    !json_object_object_get_ex(o, key, &value) || !json_object_is_type(value, type))
		return NULL;
	return value;
}

const char *document_text(struct json_object *o, const char *key, size_t room)
{
	struct json_object *value = document_member(o, key, json_type_string);
	const char *text = value ? json_object_get_string(value) : "";

	if (value && strlen(text) != (size_t)json_object_get_string_len(value))
		return NULL;
	return strlen(text) < room ? text : NULL;
}

int document_digest(struct json_object *o, const char *key, struct digest *ret, struct err *e)
{
	const char *text = document_text(o, key, DIGEST_TEXT_SIZE);

	if (!text || !*text)
		return refuse(e, "\"%s\" is missing or not a digest", key);
	return digest_parse(text, ret, e);
}

int document_diff_ids(struct json_object *config, size_t layers, struct json_object **ret,
		      struct err *e)
{
	struct json_object *rootfs = document_member(config, "rootfs", json_type_object);
	struct json_object *ids = document_member(rootfs, "diff_ids", json_type_array);

	if (!ids)
		return refuse(e, "no \"rootfs.diff_ids\" in the configuration");
	if (layers != json_object_array_length(ids))
		return refuse(e, "%zu layers, but %zu diff_ids in the configuration", layers,
			      json_object_array_length(ids));
	if (!layers)
		return refuse(e, "an image without layers");
	if (layers > LAYERS_MAX)
		return refuse_limit(e, "%zu layers, at most %d", layers, LAYERS_MAX);
	*ret = ids;
	return 0;
}

int document_diff_id(struct json_object *ids, size_t index, struct digest *ret, struct err *e)
{
	struct json_object *id = json_object_array_get_idx(ids, index);

	if (!json_object_is_type(id, json_type_string))
		return refuse(e, "its diff_id is not a string");
	return digest_parse(json_object_get_string(id), ret, e);
}

void document_platform(struct json_object *platform, char *text, size_t size)
{
	const char *os = document_text(platform, "os", 24);
	const char *architecture = document_text(platform, "architecture", 24);
	const char *variant = document_text(platform, "variant", 24);

	*text = '\0';
	if (platform)
		snprintf(text, size, "%s/%s%s%s", os ? os : "?", architecture ? architecture : "?",
			 variant && *variant ? "/" : "", variant ? variant : "");
}

bool platform_matches(const char *have, const char *want)
{
	size_t size = strlen(want);

	return !strcmp(have, want) || (!strncmp(have, want, size) && have[size] == '/');
}

const char *platform_host(void)
{
	static const struct {
		const char *machine, *platform;
	} known[] = {
		{ "x86_64", "linux/amd64" },    { "aarch64", "linux/arm64" },
		{ "s390x", "linux/s390x" },     { "ppc64le", "linux/ppc64le" },
		{ "riscv64", "linux/riscv64" },
	};
	struct utsname u;

	if (!uname(&u))
		for (size_t i = 0; i < ARRAY_SIZE(known); i++)
			if (!strcmp(u.machine, known[i].machine))
				return known[i].platform;
	return "linux/amd64";
}
