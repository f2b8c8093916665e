// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/oci/oci.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "image-build/oci/media_type.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "lib/array.h"

#define REF_NAME    "org.opencontainers.image.ref.name"
#define JSON_DEPTH  32
#define MAX_CHOICES 64

static void cleanup_json(struct json_object **o)
{
	json_object_put(*o);
}

#define auto_json __attribute__((cleanup(cleanup_json)))

struct descriptor {
	struct digest digest;
	uint64_t size;
	char media_type[96];
	char ref[256];
	char platform[96]; /* "" where none is given */
};

static const char *host_platform(void)
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

static int parse_json(const char *text, size_t size, const char *name, struct json_object **ret,
		      struct err *e)
{
	struct json_tokener *tokener = json_tokener_new_ex(JSON_DEPTH);
	struct json_object *o;
	const char *why;

	o = json_tokener_parse_ex(tokener, text, (int)size + 1);
	why = json_tokener_error_desc(json_tokener_get_error(tokener));
	json_tokener_free(tokener);
	if (o && json_object_is_type(o, json_type_object)) {
		*ret = o;
		return 0;
	}
	json_object_put(o);
	return refuse(e, "%s is not a JSON object: %s", name, o ? "another type" : why);
}

static struct json_object *member(struct json_object *o, const char *key, enum json_type type)
{
	struct json_object *value = NULL;

	if (!json_object_is_type(o, json_type_object) ||
	    !json_object_object_get_ex(o, key, &value) || !json_object_is_type(value, type))
		return NULL;
	return value;
}

/* A string, or "" where there is none; NULL where it does not fit or has a NUL in it. */
static const char *text_member(struct json_object *o, const char *key, size_t room)
{
	struct json_object *value = member(o, key, json_type_string);
	const char *text = value ? json_object_get_string(value) : "";

	if (value && strlen(text) != (size_t)json_object_get_string_len(value))
		return NULL;
	return strlen(text) < room ? text : NULL;
}

static int read_digest(struct json_object *o, const char *key, struct digest *ret, struct err *e)
{
	const char *text = text_member(o, key, DIGEST_TEXT_SIZE);

	if (!text || !*text)
		return refuse(e, "\"%s\" is missing or not a digest", key);
	return digest_parse(text, ret, e);
}

/* Of a descriptor's "platform" or a configuration, which have the same keys. */
static void read_platform(struct json_object *platform, char *text, size_t size)
{
	const char *os = text_member(platform, "os", 24);
	const char *architecture = text_member(platform, "architecture", 24);
	const char *variant = text_member(platform, "variant", 24);

	*text = '\0';
	if (platform)
		snprintf(text, size, "%s/%s%s%s", os ? os : "?", architecture ? architecture : "?",
			 variant && *variant ? "/" : "", variant ? variant : "");
}

static int read_descriptor(struct json_object *o, struct descriptor *ret, struct err *e)
{
	struct json_object *size = member(o, "size", json_type_int);
	const char *type = text_member(o, "mediaType", sizeof(ret->media_type));
	const char *ref =
		text_member(member(o, "annotations", json_type_object), REF_NAME, sizeof(ret->ref));

	if (!size || json_object_get_int64(size) < 0)
		return refuse(e, "a descriptor without a \"size\"");
	if (!type || !ref)
		return refuse(e, "a descriptor with an overlong \"mediaType\" or name");
	ret->size = (uint64_t)json_object_get_int64(size);
	snprintf(ret->media_type, sizeof(ret->media_type), "%s", type);
	snprintf(ret->ref, sizeof(ret->ref), "%s", ref);
	read_platform(member(o, "platform", json_type_object), ret->platform,
		      sizeof(ret->platform));
	return read_digest(o, "digest", &ret->digest, e);
}

/* Read a document by its descriptor; size and digest must be what that says. */
static int read_document(const struct oci_source *s, const struct descriptor *d,
			 struct json_object **ret, struct err *e)
{
	char name[DIGEST_TEXT_SIZE], file[16 + DIGEST_TEXT_SIZE], *text = NULL;
	struct digest found;
	struct hasher h;
	size_t size;
	int r;

	digest_text(&d->digest, name);
	snprintf(file, sizeof(file), "blobs/%s", name);
	*strchr(file, ':') = '/';
	r = oci_source_text(s, file, &text, &size, e);
	if (r)
		return r;
	hasher_start(&h, d->digest.algorithm);
	hasher_add(&h, text, size);
	hasher_finish(&h, &found);
	hasher_stop(&h);
	if (size != d->size)
		r = refuse(e, "%s has %zu bytes, its descriptor says %llu", file, size,
			   (unsigned long long)d->size);
	else if (!digest_equal(&found, &d->digest))
		r = refuse(e, "%s does not have the digest that is its name", file);
	else
		r = parse_json(text, size, file, ret, e);
	free(text);
	return r;
}

/* "linux/arm64" matches "linux/arm64/v8": a variant counts where it is asked for. */
static bool platform_matches(const char *have, const char *want)
{
	size_t size = strlen(want);

	return !strcmp(have, want) || (!strncmp(have, want, size) && have[size] == '/');
}

static int ambiguous(const struct descriptor *choices, size_t count, struct err *e)
{
	char list[300] = "";
	size_t used = 0;

	for (size_t i = 0; i < count && used < sizeof(list) - 1; i++) {
		int n = snprintf(list + used, sizeof(list) - used, "%s%s%s%s%s", i ? ", " : "",
				 *choices[i].ref ? choices[i].ref : "(no name)",
				 *choices[i].platform ? " [" : "", choices[i].platform,
				 *choices[i].platform ? "]" : "");

		used += n > 0 ? (size_t)n : 0;
	}
	return refuse(e, "more than one image; name one with --ref or --platform: %s", list);
}

/* Keep those that a filter accepts, unless that would be none. */
static size_t narrow(struct descriptor *choices, size_t count, const char *platform, bool strict)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (platform_matches(choices[i].platform, platform))
			kept++;
	if (!kept && !strict)
		return count;
	kept = 0;
	for (size_t i = 0; i < count; i++)
		if (platform_matches(choices[i].platform, platform))
			choices[kept++] = choices[i];
	return kept;
}

/* The one entry of an index that is meant. */
static int choose(struct json_object *index, const char *ref, const char *platform,
		  struct descriptor *ret, struct err *e)
{
	struct json_object *manifests = member(index, "manifests", json_type_array);
	struct descriptor choices[MAX_CHOICES];
	size_t count = 0, total = manifests ? json_object_array_length(manifests) : 0;
	bool strict = false;

	for (size_t i = 0; i < total; i++) {
		int r;

		if (count == MAX_CHOICES)
			return refuse_limit(e, "an index of more than %d images", MAX_CHOICES);
		r = read_descriptor(json_object_array_get_idx(manifests, i), &choices[count], e);
		if (r)
			return r;
		strict = strict || *choices[count].platform;
		if (!ref || !strcmp(ref, choices[count].ref))
			count++;
	}
	if (!count && ref)
		return refuse(e, "no image of %zu has the name \"%.100s\"", total, ref);
	if (count > 1)
		count = narrow(choices, count, platform, strict && !ref);
	if (!count)
		return refuse(e,
			      total ? "no image for platform %.60s; name another with --platform" :
				      "an index without images%.0s",
			      platform);
	if (count > 1)
		return ambiguous(choices, count, e);
	*ret = choices[0];
	return 0;
}

/* From index.json down to a manifest. */
static int find_manifest(const struct oci_source *s, const char *ref, const char *platform,
			 struct descriptor *ret, struct json_object **ret_manifest, struct err *e)
{
	struct json_object *o auto_json = NULL;
	struct descriptor d;
	char *text = NULL;
	size_t size;
	int r;

	r = oci_source_text(s, "index.json", &text, &size, e);
	if (!r)
		r = parse_json(text, size, "index.json", &o, e);
	free(text);
	for (int depth = 0; !r && depth < LIMIT_INDEX_DEPTH; depth++) {
		struct json_object *next = NULL;

		r = choose(o, depth ? NULL : ref, platform, &d, e);
		if (!r)
			r = read_document(s, &d, &next, e);
		if (r)
			return r;
		if (!depth)
			snprintf(ret->ref, sizeof(ret->ref), "%s", d.ref);
		json_object_put(o);
		o = next;
		if (media_type_is_index(d.media_type))
			continue;
		if (*d.media_type && !media_type_is_manifest(d.media_type))
			return refuse(e, "media type %s is not an image manifest", d.media_type);
		ret->digest = d.digest;
		memcpy(ret->platform, d.platform, sizeof(d.platform));
		*ret_manifest = json_object_get(o);
		return 0;
	}
	return r ? r : refuse_limit(e, "indexes nested more than %d deep", LIMIT_INDEX_DEPTH);
}

static int read_layer(struct json_object *o, struct json_object *diff_id, struct oci_layer *ret,
		      struct err *e)
{
	struct descriptor d;
	int r = read_descriptor(o, &d, e);

	if (!r)
		r = media_type_layer(d.media_type, &ret->compression, e);
	if (r)
		return r;
	ret->digest = d.digest;
	ret->size = d.size;
	snprintf(ret->media_type, sizeof(ret->media_type), "%s", d.media_type);
	if (!json_object_is_type(diff_id, json_type_string))
		return refuse(e, "its diff_id is not a string");
	return digest_parse(json_object_get_string(diff_id), &ret->diff_id, e);
}

static int read_layers(struct json_object *manifest, struct json_object *config,
		       struct oci_image *ret, struct err *e)
{
	struct json_object *layers = member(manifest, "layers", json_type_array);
	struct json_object *rootfs = member(config, "rootfs", json_type_object);
	struct json_object *ids = member(rootfs, "diff_ids", json_type_array);
	size_t count = layers ? json_object_array_length(layers) : 0;

	if (!layers || !ids)
		return refuse(
			e, "no \"layers\" in the image manifest or no \"rootfs.diff_ids\" in the "
			   "configuration");
	if (count != json_object_array_length(ids))
		return refuse(e, "%zu layers, but %zu diff_ids in the configuration", count,
			      json_object_array_length(ids));
	if (!count)
		return refuse(e, "an image without layers");
	if (count > LAYERS_MAX)
		return refuse_limit(e, "%zu layers, at most %d", count, LAYERS_MAX);
	for (size_t i = 0; i < count; i++) {
		int r = read_layer(json_object_array_get_idx(layers, i),
				   json_object_array_get_idx(ids, i), &ret->layers[i], e);

		if (r) {
			err_prefix(e, "layer %zu: ", i);
			return r;
		}
	}
	ret->layer_count = count;
	return 0;
}

/*
 * A lone image was chosen without a look at what was asked. Where its descriptor
 * states no platform its configuration does.
 */
static int check_platform(const struct descriptor *image, struct json_object *config,
			  const char *asked, struct err *e)
{
	char have[sizeof(image->platform)];

	memcpy(have, image->platform, sizeof(have));
	if (!*have)
		read_platform(config, have, sizeof(have));
	if (!asked || platform_matches(have, asked))
		return 0;
	return refuse(e, "the image is for %s, not for platform %.60s", have, asked);
}

int oci_load(const struct oci_source *s, const char *ref, const char *platform,
	     struct oci_image *ret, struct err *e)
{
	struct json_object *manifest auto_json = NULL, *config auto_json = NULL;
	struct descriptor chosen, d;
	int r;

	r = find_manifest(s, ref, platform ? platform : host_platform(), &chosen, &manifest, e);
	if (!r && !member(manifest, "config", json_type_object))
		r = refuse(e, "the image manifest names no configuration");
	if (!r)
		r = read_descriptor(member(manifest, "config", json_type_object), &d, e);
	if (!r)
		r = read_document(s, &d, &config, e);
	if (!r)
		r = check_platform(&chosen, config, platform, e);
	if (!r)
		r = read_layers(manifest, config, ret, e);
	if (r) {
		err_prefix(e, "%.200s: ", s->path);
		return r;
	}
	snprintf(ret->ref, sizeof(ret->ref), "%s", chosen.ref);
	ret->manifest = chosen.digest;
	ret->config = d.digest;
	return 0;
}
