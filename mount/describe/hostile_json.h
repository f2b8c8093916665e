/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_DESCRIBE_HOSTILE_JSON_H
#define MOUNT_DESCRIBE_HOSTILE_JSON_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"

/*
 * Hostile JSON, read with json-c. What is asked for by a name is there in the type
 * that is asked for, or the answer is DESCRIPTION_INVALID with the name in it.
 */

static inline void hostile_cleanup(struct json_object **object)
{
	json_object_put(*object);
}

#define auto_json __attribute__((cleanup(hostile_cleanup)))

/* What a text is called in messages, what its failures are called, and how much it may be. */
struct hostile_rules {
	const char *what; /* "the manifest" */
	enum fail_code invalid;
	size_t size_max; /* bytes */
	unsigned int depth_max;
	bool lines; /* several values, each beginning on a line of its own: an array of them */
};

/*
 * One JSON text and nothing behind it; text has a closing NUL at size. Refused: more
 * than size_max bytes (LIMIT_EXCEEDED, before it is looked at), a member twice in one object
 * (KEY_REPEATED), and what strict_json_check() refuses. The caller puts *ret, which may be NULL
 * as well: JSON's null.
 */
int hostile_read(const struct hostile_rules *rules, const char *text, size_t size,
		 struct json_object **ret, struct err *e);

/* That of a description: DESCRIPTION_INVALID, DESCRIBE_SIZE_MAX and _DEPTH_MAX, lines. */
int hostile_parse(const char *text, size_t size, struct json_object **ret, struct err *e);

/*
 * A member of an object. Strings: without control characters, a NUL among them; *ret is
 * NULL (or *ret_given false, with *ret untouched) where there is no such member or it is
 * null, and that is allowed. The texts live as long as the object.
 */
int hostile_string(struct json_object *object, const char *name, bool required, const char **ret,
		   struct err *e);
/* A whole number from 0 to max, as the text has it: no fraction, no exponent, no sign. */
int hostile_number(struct json_object *object, const char *name, bool required, uint64_t max,
		   uint64_t *ret, bool *ret_given, struct err *e);
int hostile_bool(struct json_object *object, const char *name, bool *ret, bool *ret_given,
		 struct err *e);
/* An object; absent or null: *ret NULL. */
int hostile_object(struct json_object *object, const char *name, struct json_object **ret,
		   struct err *e);
/* An array; absent or null: *ret NULL, which has no entries for hostile_count(). */
int hostile_array(struct json_object *object, const char *name, struct json_object **ret,
		  struct err *e);
size_t hostile_count(struct json_object *array);

/* An entry of an array, which must be a string, or an object: as above. */
int hostile_string_at(struct json_object *array, size_t index, const char **ret, struct err *e);
int hostile_object_at(struct json_object *array, size_t index, struct json_object **ret,
		      struct err *e);

/* A string, or a whole number as text, where either may stand; NULL for all else. */
const char *hostile_scalar(struct json_object *value);

/* Members that are not among names, which NULL closes: KEY_UNKNOWN. */
int hostile_only(struct json_object *object, const char *const names[], struct err *e);

#endif
