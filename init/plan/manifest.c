// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "init/plan/manifest.h"

#include <errno.h>
#include <string.h>

#include "init/plan/dialect.h"
#include "init/plan/plan_layer.h"
#include "mount/describe/hostile_json.h"

static int invalid(struct err *e, const char *what)
{
	return err_set(e, FAIL_VALUE_INVALID, EINVAL, "the manifest is refused: %s", what);
}

static int take_layer_members(struct json_object *object, struct boot_plan *plan, struct volume *v,
			      struct err *e)
{
	struct json_object_iterator at = json_object_iter_begin(object);
	struct json_object_iterator end = json_object_iter_end(object);

	for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
		const char *value = hostile_scalar(json_object_iter_peek_value(&at));
		int r = value ? layer_set(plan, v, json_object_iter_peek_name(&at), value, e) :
				invalid(e,
					"a layer's value is neither a string nor a whole number");

		if (r)
			return r;
	}
	if (v->data.kind == DEVREF_NONE)
		return invalid(e, "a layer names no device");
	return volume_finish(v, e);
}

static int take_layer(struct json_object *object, struct boot_plan *plan, struct err *e)
{
	struct volume *v;
	int r = layer_begin(plan, &v, e);

	if (r)
		return r;
	r = json_object_is_type(object, json_type_object) ? take_layer_members(object, plan, v, e) :
							    invalid(e, "a layer is not an object");
	return err_volume(e, r, v->name);
}

static int take_layers(struct json_object *list, struct boot_plan *plan, struct err *e)
{
	int r = plan_claim(plan, "the manifest", e);

	if (r)
		return r;
	if (!json_object_is_type(list, json_type_array) || !json_object_array_length(list))
		return invalid(e, "\"layers\" is not an array of layers");
	for (size_t i = 0; !r && i < json_object_array_length(list); i++)
		r = take_layer(json_object_array_get_idx(list, i), plan, e);
	return r;
}

static int take_member(const char *name, struct json_object *value, struct boot_plan *plan,
		       struct err *e)
{
	const char *text = hostile_scalar(value);

	if (!strcmp(name, "version"))
		return 0;
	if (!strcmp(name, "layers"))
		return take_layers(value, plan, e);
	if (!text)
		return invalid(e, "a value is neither a string nor a whole number");
	/* The command line's way to a manifest, and a layer outside of the list. */
	if (!strcmp(name, "manifest") || !strcmp(name, "layer"))
		return err_set(e, FAIL_KEY_UNKNOWN, EINVAL, "unknown key \"%s\" in the manifest",
			       name);
	return dialect_socle_set(plan, name, text, e);
}

static int take_members(struct json_object *object, struct boot_plan *plan, struct err *e)
{
	struct json_object_iterator at = json_object_iter_begin(object);
	struct json_object_iterator end = json_object_iter_end(object);
	struct json_object *version = json_object_object_get(object, "version");
	int r = 0;

	if (!json_object_is_type(version, json_type_int) ||
	    json_object_get_int(version) != MANIFEST_VERSION)
		return invalid(e, "its \"version\" is not 1");
	for (; !r && !json_object_iter_equal(&at, &end); json_object_iter_next(&at))
		r = take_member(json_object_iter_peek_name(&at), json_object_iter_peek_value(&at),
				plan, e);
	return r;
}

int manifest_parse(const char *text, size_t size, struct boot_plan *plan, struct err *e)
{
	static const struct hostile_rules rules = {
		.what = "the manifest",
		.invalid = FAIL_VALUE_INVALID,
		.size_max = PLAN_MANIFEST_MAX,
		.depth_max = 3, /* the manifest, a list, a layer */
	};
	auto_json struct json_object *object = NULL;
	int r = hostile_read(&rules, text, size, &object, e);

	if (r)
		return r;
	if (!json_object_is_type(object, json_type_object))
		return invalid(e, "it is not an object");
	return take_members(object, plan, e);
}
