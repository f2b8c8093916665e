// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/plan/plan_json.h"

#include "image-build/base/json.h"
#include "image-build/plan/print.h"

static void add_ref(struct json_object *o, const char *key, const struct devref *ref)
{
	char text[DEVREF_TEXT_SIZE];

	if (ref->kind != DEVREF_NONE)
		json_add_text(o, key, devref_print(ref, text, sizeof(text)));
}

/* Its bytes would say nothing to a reader: where it is, or that the line has it. */
static struct json_object *signature_json(const struct boot_plan *plan,
					  const struct verity_signature_ref *ref)
{
	struct json_object *o = json_object_new_object();
	const char *path = verity_signature_path(ref, plan->signatures);

	if (path)
		json_add_text(o, "file", path);
	else
		json_add_number(o, "size", ref->size);
	return o;
}

static struct json_object *verity_json(const struct boot_plan *plan, const struct volume *v)
{
	struct json_object *o = json_object_new_object();
	const struct verity_params *p = &v->verity;

	if (v->proof == VOLUME_SUPERBLOCK) {
		json_add_number(o, "superblock_offset", v->superblock_offset_bytes);
	} else {
		json_add_verity(o, p);
	}
	if (p->fec_roots) {
		json_add_number(o, "fec_roots", p->fec_roots);
		json_add_number(o, "fec_offset", p->fec_start_bytes);
	}
	json_add_bool(o, "ignore_zero_blocks", p->ignore_zero_blocks);
	json_add_hex(o, "root_hash", p->root_hash, p->root_hash_size);
	if (verity_signature_asked(&v->signature))
		json_object_object_add(o, "signature", signature_json(plan, &v->signature));
	return o;
}

static struct json_object *volume_json(const struct boot_plan *plan, const struct volume *v)
{
	struct json_object *o = json_object_new_object();

	json_add_text(o, "name", v->name);
	add_ref(o, "data_device", &v->data);
	add_ref(o, "hash_device", &v->hash);
	add_ref(o, "fec_device", &v->fec);
	if (v->fstype[0])
		json_add_text(o, "fstype", v->fstype);
	if (v->options[0])
		json_add_text(o, "options", v->options);
	json_add_bool(o, "writable", v->writable);
	if (v->proof != VOLUME_RAW)
		json_object_object_add(o, "verity", verity_json(plan, v));
	if (v->adopt)
		json_add_text(o, "adopt", v->dm_name);
	return o;
}

static void add_upper(struct json_object *o, const struct upper *u)
{
	char text[DEVREF_TEXT_SIZE];

	json_add_text(o, "upper", upper_kind_words[u->kind]);
	if (u->size[0])
		json_add_text(o, "upper_size", u->size);
	if (u->kind != UPPER_DISK)
		return;
	json_add_text(o, "upper_device", devref_print(&u->disk, text, sizeof(text)));
	json_add_bool(o, "upper_encrypted", u->encrypted);
	json_add_bool(o, "upper_integrity", u->integrity);
}

struct json_object *plan_json(const struct boot_plan *plan)
{
	struct json_object *o = json_object_new_object(), *volumes = json_object_new_array();
	char text[PLAN_PATH_SIZE];
	const struct volume *v;
	const char *report;

	for (size_t i = 0; (v = plan_volume(plan, i)); i++)
		json_object_array_add(volumes, volume_json(plan, v));
	json_object_object_add(o, "volumes", volumes);
	json_add_text(o, "root", plan_root_word(plan->root));
	add_upper(o, &plan->upper);
	json_add_bool(o, "var_tmpfs", plan->state_tmpfs);
	json_add_bool(o, "run_time_volumes", plan->volumes);
	json_add_text(o, "agent", plan->agent);
	json_add_number(o, "timeout", plan->timeout_s);
	json_add_text(o, "on_failure", plan_on_failure_words[plan->failure.how]);
	json_add_text(o, "on_corruption", verity_corruption_words[plan->on_corruption]);
	report = plan_report_text(&plan->failure, text);
	if (report)
		json_add_text(o, "report", report);
	return o;
}
