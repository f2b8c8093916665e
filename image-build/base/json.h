/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_BASE_JSON_H
#define IMAGE_BUILD_BASE_JSON_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "verity/params.h"

/* Members of a JSON object, which owns them; memory that is not there ends the program. */
void json_add_text(struct json_object *o, const char *key, const char *text);
void json_add_number(struct json_object *o, const char *key, uint64_t number);
void json_add_bool(struct json_object *o, const char *key, bool value);

/* A member of that type; "" and 0 where there is none. The text is the object's. */
const char *json_text(struct json_object *o, const char *key);
uint64_t json_number(struct json_object *o, const char *key);

/* At most VERITY_SALT_MAX bytes, as lowercase digits. */
void json_add_hex(struct json_object *o, const char *key, const uint8_t *bytes, size_t size);

/* The table's parameters but for the root hash, under the names that socle.layer= has. */
void json_add_verity(struct json_object *o, const struct verity_params *p);

#endif
