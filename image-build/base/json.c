// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/base/json.h"

#include "lib/hex.h"

void json_add_text(struct json_object *o, const char *key, const char *text)
{
	json_object_object_add(o, key, json_object_new_string(text));
}

void json_add_number(struct json_object *o, const char *key, uint64_t number)
{
	json_object_object_add(o, key, json_object_new_uint64(number));
}

void json_add_bool(struct json_object *o, const char *key, bool value)
{
	json_object_object_add(o, key, json_object_new_boolean(value));
}

void json_add_hex(struct json_object *o, const char *key, const uint8_t *bytes, size_t size)
{
	char text[2 * VERITY_SALT_MAX + 1];

	hex_encode(bytes, size, text);
	json_add_text(o, key, text);
}

void json_add_verity(struct json_object *o, const struct verity_params *p)
{
	json_add_text(o, "hash", p->hash_name);
	json_add_number(o, "format", p->hash_type);
	json_add_number(o, "data_block_size", p->data_block_size);
	json_add_number(o, "hash_block_size", p->hash_block_size);
	json_add_number(o, "data_blocks", p->data_blocks);
	json_add_number(o, "hash_start", p->hash_start_block);
	json_add_hex(o, "salt", p->salt, p->salt_size);
}

const char *json_text(struct json_object *o, const char *key)
{
	struct json_object *member;

	if (!json_object_object_get_ex(o, key, &member) ||
	    !json_object_is_type(member, json_type_string))
		return "";
	return json_object_get_string(member);
}

uint64_t json_number(struct json_object *o, const char *key)
{
	struct json_object *member;

	if (!json_object_object_get_ex(o, key, &member) ||
	    !json_object_is_type(member, json_type_int))
		return 0;
	return json_object_get_uint64(member);
}
