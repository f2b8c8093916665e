// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/oci/docker_archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "image-build/base/identify.h"
#include "image-build/base/refuse.h"
#include "image-build/oci/document.h"
#include "image-build/oci/media_type.h"
#include "image-build/tree/name.h"
#include "lib/cleanup.h"
#include "lib/io.h"

#define IMAGES_MAX 64

/* One entry of the list. */
struct entry {
	struct json_object *o;
	const char *tag; /* the one that was asked for, else its first; "" */
	char platform[96];
	struct json_object *config;
	struct digest config_digest;
};

static int read_list(const struct oci_source *s, struct json_object **ret, struct err *e)
{
	char *text = NULL;
	size_t size;
	int r = oci_source_text(s, DOCKER_ARCHIVE_LIST, &text, &size, e);

	if (!r)
		r = document_parse(text, size, DOCKER_ARCHIVE_LIST, json_type_array, ret, e);
	free(text);
	return r;
}

bool docker_archive_is(const struct oci_source *s)
{
	struct json_object *list auto_json = NULL;

	return !read_list(s, &list, NULL);
}

/* A file's name in the list, cleaned: relative, and nowhere up. */
static int file_name(struct json_object *name, const char *what, char ret[OCI_FILE_SIZE],
		     struct err *e)
{
	const char *text =
		json_object_is_type(name, json_type_string) ? json_object_get_string(name) : NULL;
	char clean[LIMIT_PATH + 1];
	int r;

	if (!text || strlen(text) != (size_t)json_object_get_string_len(name) || !*text)
		return refuse(e, "%s is not the name of a file", what);
	r = name_clean(text, clean, e);
	if (!r && strlen(clean) >= OCI_FILE_SIZE)
		r = refuse_limit(e, "%s has a name of more than %d bytes", what, OCI_FILE_SIZE - 1);
	if (r)
		return r;
	memcpy(ret, clean, strlen(clean) + 1);
	return 0;
}

/* The tag that counts; NULL where ref is asked for and is none of them. */
static const char *find_tag(struct json_object *o, const char *ref)
{
	struct json_object *tags = document_member(o, "RepoTags", json_type_array);
	size_t count = tags ? json_object_array_length(tags) : 0;

	for (size_t i = 0; i < count; i++) {
		const char *tag = json_object_get_string(json_object_array_get_idx(tags, i));

		if (tag && (!ref || !strcmp(tag, ref)))
			return tag;
	}
	return ref ? NULL : "";
}

/* Its name is the digest where Docker or Podman gave it; then it must be right. */
static int check_config_name(const char *file, const struct digest *d, struct err *e)
{
	const char *name = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
	char text[DIGEST_TEXT_SIZE];
	size_t digits = strspn(name, "0123456789abcdef");

	digest_text(d, text);
	if (digits != 64 || (name[64] && strcmp(name + 64, ".json")))
		return 0;
	return strncmp(name, strchr(text, ':') + 1, 64) ?
		       refuse(e, "%s does not have the digest that is its name", file) :
		       0;
}

static int read_config(const struct oci_source *s, struct entry *entry, struct err *e)
{
	struct json_object *name = document_member(entry->o, "Config", json_type_string);
	char file[OCI_FILE_SIZE], *text = NULL;
	struct hasher h;
	size_t size;
	int r = file_name(name, "\"Config\" of " DOCKER_ARCHIVE_LIST, file, e);

	if (!r)
		r = oci_source_text(s, file, &text, &size, e);
	if (r)
		return r;
	hasher_start(&h, "sha256");
	hasher_add(&h, text, size);
	hasher_finish(&h, &entry->config_digest);
	hasher_stop(&h);
	r = check_config_name(file, &entry->config_digest, e);
	if (!r)
		r = document_parse(text, size, file, json_type_object, &entry->config, e);
	free(text);
	if (!r)
		document_platform(entry->config, entry->platform, sizeof(entry->platform));
	return r;
}

static int ambiguous(const struct entry *entries, size_t count, struct err *e)
{
	char list[300] = "";
	size_t used = 0;

	for (size_t i = 0; i < count && used < sizeof(list) - 1; i++) {
		int n = snprintf(list + used, sizeof(list) - used, "%s%s [%s]", i ? ", " : "",
				 *entries[i].tag ? entries[i].tag : "(no name)",
				 entries[i].platform);

		used += n > 0 ? (size_t)n : 0;
	}
	return refuse(e, "more than one image; name one with --ref or --platform: %s", list);
}

/* Those of the list that have the tag, with their configurations. */
static int read_entries(const struct oci_source *s, struct json_object *list, const char *ref,
			struct entry entries[IMAGES_MAX], size_t *count, struct err *e)
{
	size_t total = json_object_array_length(list);

	if (total > IMAGES_MAX)
		return refuse_limit(e, "%zu images in " DOCKER_ARCHIVE_LIST ", at most %d", total,
				    IMAGES_MAX);
	for (size_t i = 0; i < total; i++) {
		struct entry *entry = &entries[*count];
		int r;

		*entry = (struct entry){ .o = json_object_array_get_idx(list, i) };
		entry->tag = find_tag(entry->o, ref);
		if (!entry->tag)
			continue;
		++*count;
		r = read_config(s, entry, e);
		if (r)
			return r;
	}
	if (*count)
		return 0;
	return ref ? refuse(e, "no image of %zu has the name \"%.100s\"", total, ref) :
		     refuse(e, "no image in " DOCKER_ARCHIVE_LIST);
}

/* One that stands alone must be for what was asked, several for this machine at least. */
static int choose(const struct entry *entries, size_t count, const char *platform,
		  const struct entry **ret, struct err *e)
{
	const char *wanted = platform ? platform : platform_host();
	size_t matching = 0;

	for (size_t i = 0; i < count; i++)
		if ((count == 1 && !platform) || platform_matches(entries[i].platform, wanted)) {
			*ret = &entries[i];
			matching++;
		}
	if (matching == 1)
		return 0;
	if (matching)
		return ambiguous(entries, count, e);
	if (count == 1)
		return refuse(e, "the image is for %s, not for platform %.60s", entries->platform,
			      wanted);
	return refuse(e, "no image for platform %.60s; name another with --platform", wanted);
}

/* How it is packed, and so what its digest is: that of a plain tar is its diff_id. */
static int read_layer_file(const struct oci_source *s, struct oci_layer *ret, struct err *e)
{
	int fd auto_fd = oci_source_file(s, ret->file, e);
	uint8_t head[PROBE_BYTES];
	struct stat st;
	ssize_t n;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st))
		return system_failed(e, "%s", ret->file);
	n = io_pread(fd, head, sizeof(head), 0);
	if (n < 0)
		return system_result(e, n, "read %s", ret->file);
	ret->size = (uint64_t)st.st_size;
	switch ((int)probe_kind(head, (size_t)n)) {
	case IMAGE_GZIP:
		ret->compression = COMPRESSION_GZIP;
		return digest_file(fd, ret->size, ret->file, &ret->digest, e);
	case IMAGE_ZSTD:
		ret->compression = COMPRESSION_ZSTD;
		return digest_file(fd, ret->size, ret->file, &ret->digest, e);
	default:
		ret->compression = COMPRESSION_NONE;
		ret->digest = ret->diff_id;
		return 0;
	}
}

static int read_layer(const struct oci_source *s, struct json_object *name, struct json_object *ids,
		      size_t index, struct oci_layer *ret, struct err *e)
{
	int r = file_name(name, "its entry in " DOCKER_ARCHIVE_LIST, ret->file, e);

	if (!r)
		r = document_diff_id(ids, index, &ret->diff_id, e);
	if (!r)
		r = read_layer_file(s, ret, e);
	if (!r)
		snprintf(ret->media_type, sizeof(ret->media_type), "%s",
			 media_type_docker_layer(ret->compression));
	return r;
}

static int read_layers(const struct oci_source *s, const struct entry *entry, struct oci_image *ret,
		       struct err *e)
{
	struct json_object *layers = document_member(entry->o, "Layers", json_type_array), *ids;
	size_t count = layers ? json_object_array_length(layers) : 0;
	int r = document_diff_ids(entry->config, count, &ids, e);

	for (size_t i = 0; !r && i < count; i++) {
		r = read_layer(s, json_object_array_get_idx(layers, i), ids, i, &ret->layers[i], e);
		r = err_prefix(e, r, "layer %zu: ", i);
	}
	ret->layer_count = count;
	return r;
}

int docker_archive_load(const struct oci_source *s, const char *ref, const char *platform,
			struct oci_image *ret, struct err *e)
{
	struct json_object *list auto_json = NULL;
	struct entry entries[IMAGES_MAX];
	const struct entry *chosen = NULL;
	size_t count = 0;
	int r = read_list(s, &list, e);

	if (!r)
		r = read_entries(s, list, ref, entries, &count, e);
	if (!r)
		r = choose(entries, count, platform, &chosen, e);
	if (!r)
		r = read_layers(s, chosen, ret, e);
	if (!r) {
		snprintf(ret->ref, sizeof(ret->ref), "%s", chosen->tag);
		ret->manifest = (struct digest){ .size = 0 };
		ret->config = chosen->config_digest;
	}
	for (size_t i = 0; i < count; i++)
		json_object_put(entries[i].config);
	return r;
}
