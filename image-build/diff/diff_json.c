// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/diff/diff.h"

#include "image-build/base/memory.h"

/* Both sides, and the path that leads to them: "" at the top. */
struct pair {
	struct json_object *a, *b; /* NULL: there is none; JSON's null is one, too */
	bool in_a, in_b;
	const char *path;
};

static void diff_values(const struct pair *p, const char *place, struct differences *d);

static void diff_member(const struct pair *p, const char *key, const char *place,
			struct differences *d)
{
	char *path auto_text = memory_printf("%s%s%s", p->path, *p->path ? "." : "", key);
	struct pair member = { .path = path };

	member.in_a = json_object_object_get_ex(p->a, key, &member.a);
	member.in_b = json_object_object_get_ex(p->b, key, &member.b);
	diff_values(&member, place, d);
}

static void diff_objects(const struct pair *p, const char *place, struct differences *d)
{
	json_object_object_foreach(p->a, key, value)
	{
		(void)value;
		diff_member(p, key, place, d);
	}
	json_object_object_foreach(p->b, other, more)
	{
		(void)more;
		if (!json_object_object_get_ex(p->a, other, NULL))
			diff_member(p, other, place, d);
	}
}

static void diff_arrays(const struct pair *p, const char *place, struct differences *d)
{
	size_t a = json_object_array_length(p->a), b = json_object_array_length(p->b);

	for (size_t i = 0; i < a || i < b; i++) {
		char *path auto_text = memory_printf("%s[%zu]", p->path, i);
		struct pair element = { .in_a = i < a, .in_b = i < b, .path = path };

		if (element.in_a)
			element.a = json_object_array_get_idx(p->a, i);
		if (element.in_b)
			element.b = json_object_array_get_idx(p->b, i);
		diff_values(&element, place, d);
	}
}

static const char *text_of(struct json_object *o)
{
	return json_object_is_type(o, json_type_string) ?
		       json_object_get_string(o) :
		       json_object_to_json_string_ext(o, JSON_C_TO_STRING_NOSLASHESCAPE);
}

static void diff_values(const struct pair *p, const char *place, struct differences *d)
{
	bool both = p->in_a && p->in_b;

	if (both && json_object_is_type(p->a, json_type_object) &&
	    json_object_is_type(p->b, json_type_object))
		diff_objects(p, place, d);
	else if (both && json_object_is_type(p->a, json_type_array) &&
		 json_object_is_type(p->b, json_type_array))
		diff_arrays(p, place, d);
	else if (!both || !json_object_equal(p->a, p->b))
		differences_add(d, place, p->path, p->in_a ? text_of(p->a) : NULL,
				p->in_b ? text_of(p->b) : NULL);
}

void diff_json(struct json_object *a, struct json_object *b, const char *place,
	       struct differences *d)
{
	struct pair top = { .a = a, .b = b, .in_a = true, .in_b = true, .path = "" };

	diff_values(&top, place, d);
}
