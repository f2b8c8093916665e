// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/describe/kata_volume.h"

#include <errno.h>
#include <string.h>

#include "lib/array.h"
#include "lib/base64.h"
#include "lib/text.h"
#include "mount/describe/form.h"
#include "mount/describe/kata_verity.h"

#define invalid(e, ...) err_set(e, FAIL_DESCRIPTION_INVALID, EINVAL, __VA_ARGS__)

/* --- one volume ------------------------------------------------------------------ */

struct volume_type;

/* What a volume's JSON is read into. */
struct reading {
	const struct volume_type *type;
	struct json_object *object;
	const struct describe_given *given;
	struct stack *stack;
};

struct volume_type {
	const char *name;
	int (*read)(const struct reading *g, struct err *e);
};

/*
 * The path is one of the host's: it says nothing of where the disk is in the guest, but one
 * that climbs was made by nobody who means well.
 */
static int check_source(struct json_object *o, struct err *e)
{
	const char *source;
	int r = hostile_string(o, "source", true, &source, e);

	if (r || text_is_path(source))
		return r;
	return invalid(e, "\"source\" %.120s is not an absolute path without . and ..", source);
}

static int read_fstype(struct json_object *o, char ret[FSTYPE_SIZE], struct err *e)
{
	const char *fstype;
	int r = hostile_string(o, "fs_type", true, &fstype, e);

	if (r)
		return r;
	if (text_find(fstypes, fstype, strlen(fstype)) < 0)
		return invalid(e, "\"fs_type\" %.40s is not one of erofs, squashfs, ext4, xfs",
			       fstype);
	return fstype_parse(fstype, ret, e);
}

/* It is mounted read-only, whether they say so or not. */
static int check_options(struct json_object *o, struct err *e)
{
	struct json_object *options;
	int r = hostile_array(o, "options", &options, e);

	for (size_t i = 0; !r && i < hostile_count(options); i++) {
		const char *option;

		r = hostile_string_at(options, i, &option, e);
		if (!r && strcmp(option, "ro"))
			r = invalid(e, "the mount option \"%.60s\" is not ro, the only one taken",
				    option);
	}
	return r;
}

static int add_disk(const struct reading *g, struct json_object *verity, struct volume **ret,
		    struct err *e)
{
	struct volume *v;
	int r = stack_add(g->stack, &v, e);

	if (r)
		return r;
	r = check_source(g->object, e);
	if (!r)
		r = read_fstype(g->object, v->fstype, e);
	if (!r)
		r = check_options(g->object, e);
	v->proof = verity ? VOLUME_VERITY : VOLUME_RAW;
	if (!r && verity)
		r = err_prefix(e, kata_verity_read(verity, &v->verity, e), "dm_verity: ");
	*ret = v;
	return err_volume(e, r, v->name);
}

static int read_disk(const struct reading *g, struct err *e)
{
	struct json_object *verity;
	struct volume *v;
	int r = hostile_object(g->object, "dm_verity", &verity, e);

	return r ? r : add_disk(g, verity, &v, e);
}

/* nydus leaves the tar's .wh.NAME in it, which hide nothing in an overlay. */
static int read_layer(const struct reading *g, struct err *e)
{
	struct json_object *verity;
	struct volume *v;
	int r = hostile_object(g->object, "dm_verity", &verity, e);

	if (!r)
		r = add_disk(g, verity, &v, e);
	if (!r)
		v->refuse_whiteouts = true;
	return r;
}

/* What nothing can prove may not look as if something did. */
static int refuse_verity(const struct reading *g, struct err *e)
{
	struct json_object *verity;
	int r = hostile_object(g->object, "dm_verity", &verity, e);

	if (r || !verity)
		return r;
	return invalid(e, "a volume of type %s has no dm_verity", g->type->name);
}

static int read_unproved(const struct reading *g, struct err *e)
{
	struct volume *v;
	int r = refuse_verity(g, e);

	return r ? r : add_disk(g, NULL, &v, e);
}

/* The options and the rest are labels of the host's. */
static int read_pulled(const struct reading *g, struct err *e)
{
	const char *image;
	int r = refuse_verity(g, e);

	if (!r)
		r = hostile_string(g->object, "source", true, &image, e);
	return r ? r : form_take_directories(g->given, g->stack, e);
}

static int read_of_nydusd(const struct reading *g, struct err *e)
{
	return err_set(e, FAIL_DESCRIPTION_UNSUPPORTED, EOPNOTSUPP,
		       "a volume of type %s needs nydusd, which does not run here", g->type->name);
}

static const struct volume_type types[] = {
	{ "image_raw_block", read_disk },        { "layer_raw_block", read_layer },
	{ "direct_block", read_unproved },       { "image_guest_pull", read_pulled },
	{ "image_nydus_block", read_of_nydusd }, { "layer_nydus_block", read_of_nydusd },
	{ "image_nydus_fs", read_of_nydusd },    { "layer_nydus_fs", read_of_nydusd },
};

static int find_type(struct json_object *o, const struct volume_type **ret, struct err *e)
{
	const char *name;
	int r = hostile_string(o, "volume_type", true, &name, e);

	if (r)
		return r;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(name, types[i].name)) {
			*ret = &types[i];
			return 0;
		}
	return invalid(e, "the volume_type \"%.40s\" is unknown", name);
}

/* Only layers go together, and only with layers. */
static int check_company(const struct reading *g, struct err *e)
{
	const struct stack *s = g->stack;
	bool first = !s->count && !s->directories;

	if (first ||
	    (g->type->read == read_layer && s->count && s->volume[s->count - 1].refuse_whiteouts))
		return 0;
	return invalid(e, "a volume of type %s behind another one: only layers come together",
		       g->type->name);
}

static int add_volume(struct json_object *o, const struct describe_given *given, struct stack *s,
		      struct err *e)
{
	struct reading g = { .object = o, .given = given, .stack = s };
	int r;

	if (!json_object_is_type(o, json_type_object))
		return invalid(e, "a volume is not an object");
	r = find_type(o, &g.type, e);
	if (!r)
		r = check_company(&g, e);
	return r ? r : g.type->read(&g, e);
}

/* --- their list ------------------------------------------------------------------- */

/* One text in base64 of this many characters. */
static int add_base64(const char *text, size_t length, const struct describe_given *given,
		      struct stack *s, struct err *e)
{
	auto_json struct json_object *object = NULL;
	char json[KATA_VOLUME_SIZE + 1];
	int size = base64_decode_part(text, length, (uint8_t *)json, KATA_VOLUME_SIZE), r;

	if (size == -E2BIG)
		return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG,
			       "a volume in base64 has more than %d bytes", KATA_VOLUME_SIZE);
	if (size < 0)
		return invalid(e, "a volume is neither JSON nor JSON in base64");
	json[size] = '\0';
	r = hostile_parse(json, (size_t)size, &object, e);
	return r ? r : add_volume(object, given, s, e);
}

int kata_volume_add(const char *base64, const struct describe_given *given, struct stack *s,
		    struct err *e)
{
	return add_base64(base64, strlen(base64), given, s, e);
}

int kata_volume_add_lines(const char *text, const struct describe_given *given, struct stack *s,
			  struct err *e)
{
	static const char blanks[] = " \t\r\n";
	int r = 0;

	for (text += strspn(text, blanks); !r && *text; text += strspn(text, blanks)) {
		size_t length = strcspn(text, blanks);

		r = add_base64(text, length, given, s, e);
		text += length;
	}
	return r;
}

/* {, and then a quotation mark, a blank or the end of the line. */
bool kata_volume_is_base64(const char *text)
{
	return text[0] == 'e' && text[1] && strchr("wy", text[1]);
}

static bool looks_like(struct json_object *root)
{
	struct json_object *first =
		json_object_is_type(root, json_type_array) && hostile_count(root) ?
			json_object_array_get_idx(root, 0) :
			root;

	return json_object_is_type(first, json_type_object) &&
	       json_object_object_get_ex(first, "volume_type", NULL);
}

static int read_list(struct json_object *root, const struct describe_given *given, struct stack *s,
		     struct err *e)
{
	int r = 0;

	if (!json_object_is_type(root, json_type_array))
		return add_volume(root, given, s, e);
	for (size_t i = 0; !r && i < hostile_count(root); i++)
		r = add_volume(json_object_array_get_idx(root, i), given, s, e);
	return r;
}

const struct form_reader form_kata_volume = { looks_like, read_list };
