// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/oci/oci.h"

#include <stdio.h>
#include <string.h>

#include "image-build/oci/descriptor.h"
#include "image-build/oci/docker_archive.h"
#include "image-build/oci/document.h"
#include "image-build/oci/media_type.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"

#define MAX_CHOICES 64

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

/*
 * A descriptor need not state a platform; the image's own configuration does. One
 * that is not in the layout, as other platforms' may be, matches none.
 */
static void ask_configuration(const struct oci_source *s, struct descriptor *image)
{
	struct json_object *manifest auto_json = NULL, *config auto_json = NULL;
	struct descriptor d;

	if (*image->platform || media_type_is_index(image->media_type) ||
	    descriptor_document(s, image, &manifest, NULL) ||
	    descriptor_read(document_member(manifest, "config", json_type_object), &d, NULL) ||
	    descriptor_document(s, &d, &config, NULL))
		return;
	document_platform(config, image->platform, sizeof(image->platform));
}

static bool ask_configurations(const struct oci_source *s, struct descriptor *choices, size_t count)
{
	bool known = false;

	for (size_t i = 0; i < count; i++) {
		ask_configuration(s, &choices[i]);
		known = known || *choices[i].platform;
	}
	return known;
}

/*
 * The one entry of an index that is meant. platform is what was asked for, or
 * NULL: this machine's, where there is a choice.
 */
static int choose(const struct oci_source *s, struct json_object *index, const char *ref,
		  const char *platform, struct descriptor *ret, struct err *e)
{
	const char *wanted = platform ? platform : platform_host();
	struct json_object *manifests = document_member(index, "manifests", json_type_array);
	struct descriptor choices[MAX_CHOICES];
	size_t count = 0, total = manifests ? json_object_array_length(manifests) : 0;

	for (size_t i = 0; i < total; i++) {
		int r;

		if (count == MAX_CHOICES)
			return refuse_limit(e, "an index of more than %d images", MAX_CHOICES);
		r = descriptor_read(json_object_array_get_idx(manifests, i), &choices[count], e);
		if (r)
			return r;
		if (!ref || !strcmp(ref, choices[count].ref))
			count++;
	}
	if (!count && ref)
		return refuse(e, "no image of %zu has the name \"%.100s\"", total, ref);
	if (count > 1) {
		bool known = ask_configurations(s, choices, count);

		count = narrow(choices, count, wanted, known && (platform || !ref));
	}
	if (!count)
		return refuse(e,
			      total ? "no image for platform %.60s; name another with --platform" :
				      "an index without images%.0s",
			      wanted);
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
		r = document_parse(text, size, "index.json", json_type_object, &o, e);
	free(text);
	for (int depth = 0; !r && depth < LIMIT_INDEX_DEPTH; depth++) {
		struct json_object *next = NULL;

		r = choose(s, o, depth ? NULL : ref, platform, &d, e);
		if (!r)
			r = descriptor_document(s, &d, &next, e);
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

static int read_layer(struct json_object *o, struct oci_layer *ret, struct err *e)
{
	struct descriptor d;
	int r = descriptor_read(o, &d, e);

	if (!r)
		r = media_type_layer(d.media_type, &ret->compression, e);
	if (r)
		return r;
	ret->digest = d.digest;
	ret->size = d.size;
	descriptor_file(&d, ret->file);
	snprintf(ret->media_type, sizeof(ret->media_type), "%s", d.media_type);
	return 0;
}

static int read_layers(struct json_object *manifest, struct json_object *config,
		       struct oci_image *ret, struct err *e)
{
	struct json_object *layers = document_member(manifest, "layers", json_type_array);
	size_t count = layers ? json_object_array_length(layers) : 0;
	struct json_object *ids;
	int r = 0;

	if (!layers)
		return refuse(e, "no \"layers\" in the image manifest");
	r = document_diff_ids(config, count, &ids, e);
	for (size_t i = 0; !r && i < count; i++) {
		r = read_layer(json_object_array_get_idx(layers, i), &ret->layers[i], e);
		if (!r)
			r = document_diff_id(ids, i, &ret->layers[i].diff_id, e);
		r = err_prefix(e, r, "layer %zu: ", i);
	}
	ret->layer_count = count;
	return r;
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
		document_platform(config, have, sizeof(have));
	if (!asked || platform_matches(have, asked))
		return 0;
	return refuse(e, "the image is for %s, not for platform %.60s", have, asked);
}

static int load_layout(const struct oci_source *s, const char *ref, const char *platform,
		       struct oci_image *ret, struct err *e)
{
	struct json_object *manifest auto_json = NULL, *config auto_json = NULL;
	struct descriptor chosen, d;
	int r;

	r = find_manifest(s, ref, platform, &chosen, &manifest, e);
	if (!r && !document_member(manifest, "config", json_type_object))
		r = refuse(e, "the image manifest names no configuration");
	if (!r)
		r = descriptor_read(document_member(manifest, "config", json_type_object), &d, e);
	if (!r)
		r = descriptor_document(s, &d, &config, e);
	if (!r)
		r = check_platform(&chosen, config, platform, e);
	if (!r)
		r = read_layers(manifest, config, ret, e);
	if (r)
		return r;
	snprintf(ret->ref, sizeof(ret->ref), "%s", chosen.ref);
	ret->manifest = chosen.digest;
	ret->config = d.digest;
	return 0;
}

static bool has_file(const struct oci_source *s, const char *name)
{
	char *text = NULL;
	size_t size;
	int r = oci_source_text(s, name, &text, &size, NULL);

	free(text);
	return r != -ENOENT;
}

int oci_load(const struct oci_source *s, const char *ref, const char *platform,
	     struct oci_image *ret, struct err *e)
{
	/* Newer archives of Docker are both, and say more as a layout. */
	bool is_layout = has_file(s, "index.json") || !has_file(s, DOCKER_ARCHIVE_LIST);
	int r = is_layout ? load_layout(s, ref, platform, ret, e) :
			    docker_archive_load(s, ref, platform, ret, e);

	return err_prefix(e, r, "%.200s: ", s->path);
}
