// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/describe/hostile_json.h"

#include <errno.h>
#include <json-c/json_visit.h>
#include <string.h>

#include "lib/strict_json.h"
#include "lib/text.h"
#include "mount/describe/given.h"

static int invalid(struct err *e, const char *name, const char *what)
{
	return err_set(e, FAIL_DESCRIPTION_INVALID, EINVAL, "\"%.40s\" is not %s", name, what);
}

static int no_memory(const struct hostile_rules *rules, struct err *e)
{
	return err_set(e, FAIL_SYSTEM_CALL_FAILED, ENOMEM, "out of memory for %s", rules->what);
}

/* --- the whole text ------------------------------------------------------------ */

static void cleanup_tokener(struct json_tokener **tokener)
{
	if (*tokener)
		json_tokener_free(*tokener);
}

static int count_member(struct json_object *object, int flags, struct json_object *parent,
			const char *name, size_t *index, void *count)
{
	(void)object;
	(void)parent;
	(void)index;
	if (name && !(flags & JSON_C_VISIT_SECOND))
		++*(size_t *)count;
	return JSON_C_VISIT_RETURN_CONTINUE;
}

/* json-c keeps the last of two members of one name without a word, so that fewer are left. */
static bool has_repeated(struct json_object *root, size_t members_in_text)
{
	size_t members = 0;

	/* It calls itself as often as the text nests, which has a limit. */
	return json_c_visit(root, 0, count_member, &members) || members != members_in_text;
}

/* The value at this byte of a text, as it was checked. */
static int parse(const struct hostile_rules *rules, const char *text, size_t at,
		 const struct strict_json *checked, struct json_object **ret, struct err *e)
{
	__attribute__((cleanup(cleanup_tokener))) struct json_tokener *tokener = NULL;
	auto_json struct json_object *root = NULL;

	if (checked->wrong)
		return err_set(e, rules->invalid, EINVAL, "%s is refused: %s, at byte %zu",
			       rules->what, checked->wrong, at + checked->at);
	/* It counts what is in the innermost array or object as one level more. */
	tokener = json_tokener_new_ex((int)rules->depth_max + 1);
	if (!tokener)
		return no_memory(rules, e);
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	root = json_tokener_parse_ex(tokener, text + at, (int)checked->at);
	/* Nothing but an end ends a number. */
	if (json_tokener_get_error(tokener) == json_tokener_continue)
		root = json_tokener_parse_ex(tokener, "", 1);
	if (json_tokener_get_error(tokener) != json_tokener_success)
		return err_set(e, rules->invalid, EINVAL, "%s is refused: %s", rules->what,
			       json_tokener_error_desc(json_tokener_get_error(tokener)));
	if (has_repeated(root, checked->members))
		return err_set(e, FAIL_KEY_REPEATED, EINVAL,
			       "a key is specified twice in one object of %s", rules->what);
	*ret = root;
	root = NULL;
	return 0;
}

static bool begins_line(const char *text, size_t at)
{
	while (at && strchr(" \t\r", text[at - 1]))
		at--;
	return !at || text[at - 1] == '\n';
}

/* One value of several: *at goes behind it. */
static int parse_line(const struct hostile_rules *rules, const char *text, size_t *at,
		      struct json_object *array, struct err *e)
{
	struct strict_json checked = strict_json_first(text + *at, rules->depth_max);
	struct json_object *value = NULL;
	int r;

	if (!begins_line(text, *at)) {
		checked.wrong = "there is data after the JSON text";
		checked.at = 0;
	}
	r = parse(rules, text, *at, &checked, &value, e);
	if (!r && json_object_array_add(array, value)) {
		json_object_put(value);
		r = no_memory(rules, e);
	}
	*at += checked.at;
	return r;
}

static int parse_lines(const struct hostile_rules *rules, const char *text, size_t size,
		       struct json_object **ret, struct err *e)
{
	auto_json struct json_object *array = json_object_new_array();
	size_t at = 0;
	int r = array ? 0 : no_memory(rules, e);

	do
		r = r ? r : parse_line(rules, text, &at, array, e);
	while (!r && at < size);
	if (!r)
		*ret = json_object_get(
			hostile_count(array) == 1 ? json_object_array_get_idx(array, 0) : array);
	return r;
}

int hostile_read(const struct hostile_rules *rules, const char *text, size_t size,
		 struct json_object **ret, struct err *e)
{
	struct strict_json checked;

	if (size > rules->size_max)
		return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG, "%s has more than %zu bytes",
			       rules->what, rules->size_max);
	if (rules->lines)
		return parse_lines(rules, text, size, ret, e);
	checked = strict_json_check(text, size, rules->depth_max);
	return parse(rules, text, 0, &checked, ret, e);
}

int hostile_parse(const char *text, size_t size, struct json_object **ret, struct err *e)
{
	static const struct hostile_rules rules = {
		.what = "the description",
		.invalid = FAIL_DESCRIPTION_INVALID,
		.size_max = DESCRIBE_SIZE_MAX,
		.depth_max = DESCRIBE_DEPTH_MAX,
		.lines = true,
	};

	return hostile_read(&rules, text, size, ret, e);
}

/* --- what is in it --------------------------------------------------------------- */

static int take_string(struct json_object *value, const char *name, const char **ret, struct err *e)
{
	const char *text;

	if (!json_object_is_type(value, json_type_string))
		return invalid(e, name, "a string");
	text = json_object_get_string(value);
	for (int i = 0; i < json_object_get_string_len(value); i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			return invalid(e, name, "a string without control characters");
	*ret = text;
	return 0;
}

const char *hostile_scalar(struct json_object *value)
{
	const char *text;

	if (json_object_is_type(value, json_type_int))
		return json_object_get_string(value);
	return take_string(value, "", &text, NULL) ? NULL : text;
}

/* 1 where there is a member of this type, 0 where there is none and none has to be. */
static int find(struct json_object *object, const char *name, enum json_type type, const char *what,
		bool required, struct json_object **ret, struct err *e)
{
	struct json_object *value = json_object_object_get(object, name);

	if (!value)
		return required ? err_set(e, FAIL_DESCRIPTION_INVALID, EINVAL,
					  "\"%.40s\" is missing", name) :
				  0;
	if (!json_object_is_type(value, type))
		return invalid(e, name, what);
	*ret = value;
	return 1;
}

int hostile_string(struct json_object *object, const char *name, bool required, const char **ret,
		   struct err *e)
{
	struct json_object *value;
	int r = find(object, name, json_type_string, "a string", required, &value, e);

	if (r > 0)
		return take_string(value, name, ret, e);
	if (!r)
		*ret = NULL;
	return r;
}

int hostile_number(struct json_object *object, const char *name, bool required, uint64_t max,
		   uint64_t *ret, bool *ret_given, struct err *e)
{
	struct json_object *value;
	/* What has a fraction or an exponent is json_type_double. */
	int r = find(object, name, json_type_int, "a whole number", required, &value, e);

	if (r > 0) {
		if (json_object_get_int64(value) < 0 || json_object_get_uint64(value) > max)
			return err_set(e, FAIL_DESCRIPTION_INVALID, ERANGE,
				       "\"%.40s\" is not between 0 and %llu", name,
				       (unsigned long long)max);
		*ret = json_object_get_uint64(value);
	}
	if (r >= 0 && ret_given)
		*ret_given = r;
	return r < 0 ? r : 0;
}

int hostile_bool(struct json_object *object, const char *name, bool *ret, bool *ret_given,
		 struct err *e)
{
	struct json_object *value;
	int r = find(object, name, json_type_boolean, "true or false", false, &value, e);

	if (r > 0)
		*ret = json_object_get_boolean(value);
	if (r >= 0 && ret_given)
		*ret_given = r;
	return r < 0 ? r : 0;
}

static int find_or_null(struct json_object *object, const char *name, enum json_type type,
			const char *what, struct json_object **ret, struct err *e)
{
	int r = find(object, name, type, what, false, ret, e);

	if (!r)
		*ret = NULL;
	return r < 0 ? r : 0;
}

int hostile_object(struct json_object *object, const char *name, struct json_object **ret,
		   struct err *e)
{
	return find_or_null(object, name, json_type_object, "an object", ret, e);
}

int hostile_array(struct json_object *object, const char *name, struct json_object **ret,
		  struct err *e)
{
	return find_or_null(object, name, json_type_array, "an array", ret, e);
}

size_t hostile_count(struct json_object *array)
{
	return array ? json_object_array_length(array) : 0;
}

int hostile_string_at(struct json_object *array, size_t index, const char **ret, struct err *e)
{
	return take_string(json_object_array_get_idx(array, index), "an entry of a list", ret, e);
}

int hostile_object_at(struct json_object *array, size_t index, struct json_object **ret,
		      struct err *e)
{
	struct json_object *value = json_object_array_get_idx(array, index);

	if (!json_object_is_type(value, json_type_object))
		return invalid(e, "an entry of a list", "an object");
	*ret = value;
	return 0;
}

int hostile_only(struct json_object *object, const char *const names[], struct err *e)
{
	struct json_object_iterator at = json_object_iter_begin(object);
	struct json_object_iterator end = json_object_iter_end(object);

	for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
		const char *name = json_object_iter_peek_name(&at);

		if (text_find(names, name, strlen(name)) < 0)
			return err_set(e, FAIL_KEY_UNKNOWN, EINVAL, "unknown key \"%.40s\"", name);
	}
	return 0;
}
