// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/plan_json.h"

#include "lib/hex.h"

static void add_text(struct json_object *o, const char *key, const char *text)
{
	json_object_object_add(o, key, json_object_new_string(text));
}

static void add_number(struct json_object *o, const char *key, uint64_t number)
{
	json_object_object_add(o, key, json_object_new_uint64(number));
}

static void add_hex(struct json_object *o, const char *key, const uint8_t *bytes, size_t size)
{
	char text[2 * VERITY_SALT_MAX + 1];

	hex_encode(bytes, size, text);
	add_text(o, key, text);
}

static void add_ref(struct json_object *o, const char *key, const struct devref *ref)
{
	char text[DEVREF_TEXT_SIZE];

	if (ref->kind != DEVREF_NONE)
		add_text(o, key, devref_print(ref, text, sizeof(text)));
}

/* Its bytes would say nothing to a reader: where it is, or that the line has it. */
static struct json_object *signature_json(const struct verity_signature *s)
{
	struct json_object *o = json_object_new_object();

	if (s->path[0])
		add_text(o, "file", s->path);
	else
		add_number(o, "size", s->size);
	return o;
}

static struct json_object *verity_json(const struct volume *v)
{
	struct json_object *o = json_object_new_object();
	const struct verity_params *p = &v->verity;

	if (v->proof == VOLUME_SUPERBLOCK) {
		add_number(o, "superblock_offset", v->superblock_offset_bytes);
	} else {
		add_text(o, "hash", p->hash_name);
		add_number(o, "format", p->hash_type);
		add_number(o, "data_block_size", p->data_block_size);
		add_number(o, "hash_block_size", p->hash_block_size);
		add_number(o, "data_blocks", p->data_blocks);
		add_number(o, "hash_start", p->hash_start_block);
		add_hex(o, "salt", p->salt, p->salt_size);
	}
	if (p->fec_roots) {
		add_number(o, "fec_roots", p->fec_roots);
		add_number(o, "fec_offset", p->fec_start_bytes);
	}
	json_object_object_add(o, "ignore_zero_blocks",
			       json_object_new_boolean(p->ignore_zero_blocks));
	add_hex(o, "root_hash", p->root_hash, p->root_hash_size);
	if (verity_signature_asked(&v->signature))
		json_object_object_add(o, "signature", signature_json(&v->signature));
	return o;
}

static struct json_object *volume_json(const struct volume *v)
{
	struct json_object *o = json_object_new_object();

	add_text(o, "name", v->name);
	add_ref(o, "data_device", &v->data);
	add_ref(o, "hash_device", &v->hash);
	add_ref(o, "fec_device", &v->fec);
	if (v->fstype[0])
		add_text(o, "fstype", v->fstype);
	if (v->options[0])
		add_text(o, "options", v->options);
	json_object_object_add(o, "writable", json_object_new_boolean(v->writable));
	if (v->proof != VOLUME_RAW)
		json_object_object_add(o, "verity", verity_json(v));
	if (v->adopt)
		add_text(o, "adopt", v->dm_name);
	return o;
}

struct json_object *plan_json(const struct boot_plan *plan)
{
	struct json_object *o = json_object_new_object(), *volumes = json_object_new_array();
	const struct volume *v;

	for (size_t i = 0; (v = plan_volume(plan, i)); i++)
		json_object_array_add(volumes, volume_json(v));
	json_object_object_add(o, "volumes", volumes);
	add_text(o, "root", plan_root_word(plan->root));
	add_text(o, "upper", plan->upper == PLAN_UPPER_NONE ? "none" : "tmpfs");
	if (plan->upper_size[0])
		add_text(o, "upper_size", plan->upper_size);
	json_object_object_add(o, "var_tmpfs", json_object_new_boolean(plan->state_tmpfs));
	add_text(o, "agent", plan->agent);
	add_number(o, "timeout", plan->timeout_s);
	add_text(o, "on_failure", plan_on_failure_word(plan->on_failure));
	add_text(o, "on_corruption", plan_on_corruption_word(plan->on_corruption));
	if (plan->report[0])
		add_text(o, "report", plan->report);
	return o;
}
