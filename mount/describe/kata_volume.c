// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/describe/kata_volume.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/array.h"
#include "lib/base64.h"
#include "lib/text.h"
#include "mount/describe/form.h"

#define invalid(e, ...) err_set(e, FAIL_DESCRIPTION_INVALID, EINVAL, __VA_ARGS__)

/* --- dm_verity ------------------------------------------------------------------- */

#define BLOCKNUM_MAX UINT32_MAX

/* What its members are called in our own words. Where the tree is, is read on its own. */
static const struct verity_member {
	const char *name;
	const char *key;
	enum { TEXT, LOWER_CASE, NUMBER } type;
	bool required;
	uint64_t max;
} verity_members[] = {
	{ "hashtype", "hash", LOWER_CASE, true, 0 },
	{ "hash", "root_hash", TEXT, true, 0 },
	{ "blocknum", "data_blocks", NUMBER, true, BLOCKNUM_MAX },
	{ "blocksize", "data_block_size", NUMBER, true, UINT64_MAX },
	{ "hashsize", "hash_block_size", NUMBER, true, UINT64_MAX },
	/* Of Kata's alone. */
	{ "hash_type", "format", NUMBER, false, UINT64_MAX },
	{ "salt", "salt", TEXT, false, 0 },
};

#define VALUE_SIZE 640 /* of a salt's digits, and of what is too long for one */

static int missing(const struct verity_member *m, struct err *e)
{
	return err_set(e,
		       !strcmp(m->key, "root_hash") ? FAIL_ROOT_HASH_MISSING :
						      FAIL_VERITY_PARAMS_INVALID,
		       EINVAL, "\"%s\" is missing", m->name);
}

/* Kata's runtime has the hash in any case, and the kernel does not. */
static void lower(char *text)
{
	for (; *text; text++)
		*text = (char)tolower((unsigned char)*text);
}

static int read_text(struct json_object *o, const struct verity_member *m, char value[VALUE_SIZE],
		     bool *given, struct err *e)
{
	const char *text;
	int r = hostile_string(o, m->name, false, &text, e);

	if (r)
		return r;
	*given = text;
	if (!text)
		return 0;
	if (strlen(text) >= VALUE_SIZE)
		return invalid(e, "\"%s\" has %zu characters", m->name, strlen(text));
	strcpy(value, text);
	if (m->type == LOWER_CASE)
		lower(value);
	return 0;
}

static int read_number(struct json_object *o, const struct verity_member *m, char value[VALUE_SIZE],
		       bool *given, struct err *e)
{
	uint64_t number = 0;
	int r = hostile_number(o, m->name, false, m->max, &number, given, e);

	snprintf(value, VALUE_SIZE, "%llu", (unsigned long long)number);
	return r;
}

static int read_verity_member(struct json_object *o, const struct verity_member *m,
			      struct verity_params *p, struct err *e)
{
	char value[VALUE_SIZE];
	bool given = false;
	int r = m->type == NUMBER ? read_number(o, m, value, &given, e) :
				    read_text(o, m, value, &given, e);

	if (r)
		return r;
	if (!given)
		return m->required ? missing(m, e) : 0;
	return err_prefix(e, verity_params_set(p, m->key, value, e), "\"%s\": ", m->name);
}

/*
 * offset is where the tree begins, or the superblock in front of it. nydus writes no
 * superblock and does not say so; what Kata writes itself always says which. So one is
 * there only where that is said: Kata's default for the member would be one.
 */
static int read_offset(struct json_object *o, struct verity_params *p, struct err *e)
{
	bool no_superblock = true, given = false;
	uint64_t offset = 0;
	int r = hostile_number(o, "offset", false, INT64_MAX, &offset, &given, e);

	if (!r)
		r = hostile_bool(o, "no_superblock", &no_superblock, NULL, e);
	if (r)
		return r;
	if (!given)
		return err_set(e, FAIL_VERITY_PARAMS_INVALID, EINVAL, "\"offset\" is missing");
	if (offset % p->hash_block_size)
		return err_set(e, FAIL_VERITY_PARAMS_INVALID, EINVAL,
			       "\"offset\" %llu is not a whole number of hash blocks of %u bytes",
			       (unsigned long long)offset, p->hash_block_size);
	/* Neither of them is so large that this overflows. */
	if (offset < p->data_blocks * p->data_block_size)
		return err_set(e, FAIL_VERITY_PARAMS_INVALID, EINVAL,
			       "\"offset\" %llu is inside the data", (unsigned long long)offset);
	p->hash_start_given = true;
	p->hash_start_block = offset / p->hash_block_size;
	return no_superblock ? 0 :
			       verity_hash_start(offset, p->hash_block_size, &p->hash_start_block);
}

static int read_verity(struct json_object *o, struct verity_params *p, struct err *e)
{
	int r = 0;

	for (size_t i = 0; !r && i < ARRAY_SIZE(verity_members); i++)
		r = read_verity_member(o, &verity_members[i], p, e);
	return r ? r : read_offset(o, p, e);
}

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
		r = err_prefix(e, read_verity(verity, &v->verity, e), "dm_verity: ");
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
