// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/describe/socle_lines.h"

#include <errno.h>
#include <string.h>

#include "lib/text.h"
#include "mount/describe/form.h"
#include "mount/describe/socle.h"

#define VERSION 1

#define invalid(e, ...) err_set(e, FAIL_DESCRIPTION_INVALID, EINVAL, __VA_ARGS__)

static struct verity_signature_pool pool_of(struct stack *s)
{
	return (struct verity_signature_pool){
		.bytes = s->signatures,
		.size = sizeof(s->signatures),
		.used = s->signatures_used,
	};
}

/* --- lines --------------------------------------------------------------------------- */

/* Does it say more than which disk and which file system? */
static bool names_verity(const char *line)
{
	const char *rest = strchr(line, ','), *fstype = rest ? text_behind(rest, ",fstype=") : NULL;

	return rest && (!fstype || strchr(fstype, ','));
}

static int add_line(const char *line, struct stack *s, struct err *e)
{
	struct verity_signature_pool pool = pool_of(s);
	struct volume *v;
	int r = stack_add(s, &v, e);

	if (r)
		return r;
	for (const char *c = line; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			r = invalid(e, "there is a control character in its line");
	if (!r)
		r = volume_set_all(v, line, &pool, e);
	v->proof = names_verity(line) ? VOLUME_VERITY : VOLUME_RAW;
	s->signatures_used = pool.used;
	return err_volume(e, r, v->name);
}

int socle_add_lines(const char *text, struct stack *s, struct err *e)
{
	char line[SOCLE_TEXT_SIZE];
	int r = 0;

	for (text += strspn(text, "\n"); !r && *text; text += strspn(text, "\n")) {
		size_t length = strcspn(text, "\n");

		if (length >= sizeof(line))
			return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG,
				       "a line has more than %zu bytes", sizeof(line) - 1);
		memcpy(line, text, length);
		line[length] = '\0';
		r = add_line(line, s, e);
		text += length;
	}
	return r;
}

/* --- JSON ---------------------------------------------------------------------------- */

/* A member of a layer, or of a further device of one. */
static int take_member(const char *name, struct json_object *value, struct volume *v,
		       struct verity_signature_pool *pool, struct err *e)
{
	const char *text = hostile_scalar(value);

	if (!text)
		return invalid(e, "\"%.40s\" is neither a string nor a whole number", name);
	if (strcmp(name, "device") && strcmp(name, "fstype"))
		v->proof = VOLUME_VERITY;
	return volume_set(v, name, text, pool, e);
}

static int take_members(struct json_object *object, struct volume *v, bool layer, struct stack *s,
			struct err *e)
{
	struct json_object_iterator at = json_object_iter_begin(object);
	struct json_object_iterator end = json_object_iter_end(object);
	struct verity_signature_pool pool = pool_of(s);
	int r = 0;

	v->proof = VOLUME_RAW;
	for (; !r && !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
		const char *name = json_object_iter_peek_name(&at);

		if (layer && !strcmp(name, "devices"))
			continue;
		if (!layer && !strcmp(name, "fstype"))
			return err_set(e, FAIL_KEY_UNKNOWN, EINVAL,
				       "\"fstype\" is the layer's, not a further device's");
		r = take_member(name, json_object_iter_peek_value(&at), v, &pool, e);
	}
	s->signatures_used = pool.used;
	return r;
}

static int add_volume(struct json_object *object, bool layer, struct stack *s, struct volume **ret,
		      struct err *e)
{
	int r = stack_add(s, ret, e);

	if (r)
		return r;
	return err_volume(e, take_members(object, *ret, layer, s, e), (*ret)->name);
}

static int add_devices(struct json_object *devices, struct volume *layer, struct stack *s,
		       struct err *e)
{
	struct json_object *object;
	struct volume *v;
	int r = 0;

	if (hostile_count(devices) && layer->fstype[0] && strcmp(layer->fstype, "erofs"))
		return err_volume(e, invalid(e, "only an erofs has further devices"), layer->name);
	for (size_t i = 0; !r && i < hostile_count(devices); i++) {
		r = hostile_object_at(devices, i, &object, e);
		if (!r)
			r = add_volume(object, false, s, &v, e);
	}
	if (hostile_count(devices))
		strcpy(layer->fstype, "erofs");
	layer->devices = (unsigned int)hostile_count(devices);
	return r;
}

static int add_layer(struct json_object *object, struct stack *s, struct err *e)
{
	struct json_object *devices;
	struct volume *v;
	int r = hostile_array(object, "devices", &devices, e);

	if (!r)
		r = add_volume(object, true, s, &v, e);
	return r ? r : add_devices(devices, v, s, e);
}

static bool looks_like(struct json_object *root)
{
	return json_object_is_type(root, json_type_object) &&
	       json_object_object_get_ex(root, "layers", NULL);
}

static int read_root(struct json_object *root, const struct describe_given *given, struct stack *s,
		     struct err *e)
{
	static const char *const names[] = { "version", "layers", "upper", NULL };
	struct json_object *layers, *object;
	const char *upper = NULL;
	uint64_t version;
	int r;

	(void)given;
	if (!json_object_is_type(root, json_type_object))
		return invalid(e, "the description is not one object with \"layers\"");
	r = hostile_only(root, names, e);
	if (!r)
		r = hostile_number(root, "version", true, UINT64_MAX, &version, NULL, e);
	if (!r && version != VERSION)
		r = invalid(e, "its \"version\" is not %d", VERSION);
	if (!r)
		r = hostile_array(root, "layers", &layers, e);
	for (size_t i = 0; !r && i < hostile_count(layers); i++) {
		r = hostile_object_at(layers, i, &object, e);
		if (!r)
			r = add_layer(object, s, e);
	}
	if (!r)
		r = hostile_string(root, "upper", false, &upper, e);
	return r || !upper ? r : upper_parse(upper, &s->upper, e);
}

const struct form_reader form_socle = { looks_like, read_root };
