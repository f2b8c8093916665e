// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/serve/images.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "mount/describe/hostile_json.h"

static int invalid(struct err *e, const char *what)
{
	return err_set(e, FAIL_DESCRIPTION_INVALID, EINVAL, "%s", what);
}

/* "sha256:" and lower-case digits, as OCI's image-spec (descriptor.md) writes it. */
static bool is_digest(const char *text)
{
	static const struct {
		const char *algorithm;
		size_t digits;
	} known[] = { { "sha256:", 64 }, { "sha384:", 96 }, { "sha512:", 128 } };

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		size_t size = strlen(known[i].algorithm);

		if (!strncmp(text, known[i].algorithm, size))
			return strlen(text) == size + known[i].digits &&
			       strspn(text + size, "0123456789abcdef") == known[i].digits;
	}
	return false;
}

/*
 * What a reference consists of (distribution's reference/regexp.go). Nothing of it has to
 * be escaped where it goes: into messages, and into the event of a measurement.
 */
static bool is_reference(const char *text)
{
	static const char characters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
					 "0123456789._-:/@+[]";
	size_t size = strspn(text, characters);

	return size && !text[size] && size < 1024;
}

/* A member that is JSON, which is taken as its text, or a text. */
static int take_text(struct json_object *object, const char *name, const char **ret,
		     size_t *ret_size, struct err *e)
{
	struct json_object *member = NULL;

	*ret = NULL;
	*ret_size = 0;
	if (!json_object_object_get_ex(object, name, &member) || !member)
		return 0;
	if (json_object_is_type(member, json_type_object) ||
	    json_object_is_type(member, json_type_array)) {
		*ret = json_object_to_json_string_length(member,
							 JSON_C_TO_STRING_PLAIN |
								 JSON_C_TO_STRING_NOSLASHESCAPE,
							 ret_size);
		return *ret ? 0 : err_set(e, FAIL_SYSTEM_CALL_FAILED, ENOMEM, "no memory");
	}
	if (!json_object_is_type(member, json_type_string))
		return err_set(e, FAIL_DESCRIPTION_INVALID, EINVAL, "\"%s\" is not JSON or a text",
			       name);
	*ret = json_object_get_string(member);
	*ret_size = (size_t)json_object_get_string_len(member);
	if (strlen(*ret) != *ret_size)
		return err_set(e, FAIL_DESCRIPTION_INVALID, EINVAL, "\"%s\" has a NUL", name);
	return 0;
}

static int take_volume(struct json_object *object, struct image *image, struct err *e)
{
	static const char *const members[] = { "number", "device", "sidecar", "allow_unverified",
					       NULL };
	struct socle_volume_option *v = &image->volumes[image->volume_count];
	uint64_t number = 0;
	bool unverified = false, given;
	size_t size;
	int r = hostile_only(object, members, e);

	r = r ? r :
		hostile_number(object, "number", true, IMAGES_VOLUMES_MAX - 1, &number, &given, e);
	r = r ? r : hostile_string(object, "device", false, &v->device, e);
	r = r ? r : take_text(object, "sidecar", &v->sidecar, &size, e);
	r = r ? r : hostile_bool(object, "allow_unverified", &unverified, &given, e);
	if (r)
		return r;
	v->number = (unsigned int)number;
	v->allow_unverified = unverified;
	for (size_t i = 0; i < image->volume_count; i++)
		if (image->volumes[i].number == v->number)
			return err_set(e, FAIL_KEY_REPEATED, EINVAL, "volume %u is specified twice",
				       v->number);
	image->volume_count++;
	return 0;
}

static int take_volumes(struct json_object *object, struct image *image, struct err *e)
{
	struct json_object *array, *volume;
	int r = hostile_array(object, "volumes", &array, e);
	size_t count = r ? 0 : hostile_count(array);

	if (count > IMAGES_VOLUMES_MAX)
		return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG, "\"volumes\" has more than %d",
			       IMAGES_VOLUMES_MAX);
	image->volumes = count ? calloc(count, sizeof(*image->volumes)) : NULL;
	if (count && !image->volumes)
		return err_set(e, FAIL_SYSTEM_CALL_FAILED, ENOMEM, "no memory");
	for (size_t i = 0; i < count && !r; i++) {
		r = hostile_object_at(array, i, &volume, e);
		r = r ? r : take_volume(volume, image, e);
	}
	return r;
}

static int take_image(struct images *images, struct json_object *object, struct err *e)
{
	static const char *const members[] = { "reference", "digest", "form", "description",
					       "volumes",   "upper",  NULL };
	struct image *image = &images->image[images->count];
	int r = hostile_only(object, members, e);

	r = r ? r : hostile_string(object, "reference", true, &image->reference, e);
	r = r ? r : hostile_string(object, "digest", true, &image->digest, e);
	r = r ? r : hostile_string(object, "form", false, &image->form, e);
	r = r ? r : hostile_string(object, "upper", false, &image->upper, e);
	r = r ? r :
		take_text(object, "description", &image->description, &image->description_size, e);
	if (r)
		return r;
	if (!is_reference(image->reference))
		return invalid(e, "\"reference\" is not an image's reference");
	if (images_find(images, image->reference))
		return err_set(e, FAIL_KEY_REPEATED, EINVAL, "\"%.200s\" is specified twice",
			       image->reference);
	/* From here on it is freed with the others. */
	images->count++;
	if (!is_digest(image->digest))
		r = invalid(e, "\"digest\" is not the digest of a manifest");
	else if (!image->description)
		r = invalid(e, "\"description\" is missing");
	return r ? r : take_volumes(object, image, e);
}

static int take_images(struct images *images, struct json_object *root, struct err *e)
{
	static const char *const members[] = { "version", "images", NULL };
	struct json_object *array, *object;
	uint64_t version = 0;
	bool given;
	int r = hostile_only(root, members, e);

	r = r ? r : hostile_number(root, "version", true, UINT32_MAX, &version, &given, e);
	if (!r && version != 1)
		r = invalid(e, "\"version\" is not 1");
	r = r ? r : hostile_array(root, "images", &array, e);
	if (!r && !array)
		r = invalid(e, "\"images\" is missing");
	for (size_t i = 0; !r && i < hostile_count(array); i++) {
		if (images->count == IMAGES_MAX)
			return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG,
				       "there are more than %d images", IMAGES_MAX);
		r = hostile_object_at(array, i, &object, e);
		r = r ? r : take_image(images, object, e);
		r = err_prefix(e, r, "image %zu: ", i);
	}
	return r;
}

int images_add(struct images *images, const char *text, size_t size, struct err *e)
{
	static const struct hostile_rules rules = {
		.what = "the list of images",
		.invalid = FAIL_DESCRIPTION_INVALID,
		.size_max = IMAGES_SIZE_MAX,
		.depth_max = IMAGES_DEPTH_MAX,
	};
	struct json_object *root = NULL;
	int r;

	if (images->text_count == IMAGES_TEXTS_MAX)
		return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG, "there are more than %d texts",
			       IMAGES_TEXTS_MAX);
	r = hostile_read(&rules, text, size, &root, e);
	if (r)
		return r;
	images->text[images->text_count++] = root;
	if (!json_object_is_type(root, json_type_object))
		return invalid(e, "the list of images is not a JSON object");
	return take_images(images, root, e);
}

const struct image *images_find(const struct images *images, const char *reference)
{
	for (size_t i = 0; i < images->count; i++)
		if (!strcmp(images->image[i].reference, reference))
			return &images->image[i];
	return NULL;
}

void images_free(struct images *images)
{
	for (size_t i = 0; i < images->count; i++)
		free(images->image[i].volumes);
	for (size_t i = 0; i < images->text_count; i++)
		json_object_put(images->text[i]);
	memset(images, 0, sizeof(*images));
}
