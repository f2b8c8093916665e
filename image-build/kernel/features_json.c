// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/kernel/features_json.h"

#include "image-build/base/json.h"

const char *feature_state_word(unsigned int state)
{
	static const char *const words[] = {
		[FEATURE_IS_BUILT_IN] = "built in",    [FEATURE_IS_MODULAR] = "module",
		[FEATURE_IS_UNSAID] = "not said",      [FEATURE_IS_MISSING] = "missing",
		[FEATURE_IS_ELSEWHERE] = "other arch",
	};

	return words[state];
}

const char *finding_word(unsigned int kind)
{
	static const char *const words[] = {
		[FINDING_MISSING] = "missing",       [FINDING_MODULE] = "module",
		[FINDING_LATE] = "must be built in", [FINDING_OLD] = "too old",
		[FINDING_WORSE] = "advice",          [FINDING_UNSAID] = "not said",
	};

	return words[kind];
}

static struct json_object *findings_json(const struct feature_report *r)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < r->count; i++) {
		const struct finding *f = &r->findings[i];
		struct json_object *o = json_object_new_object();

		json_add_text(o, "kind", finding_word(f->kind));
		json_add_text(o, f->kind == FINDING_OLD ? "since" : "options", f->options);
		json_add_text(o, "loss", f->loss);
		json_object_array_add(list, o);
	}
	return list;
}

struct json_object *feature_json(enum feature feature, const struct feature_report *r,
				 bool required)
{
	struct json_object *o = json_object_new_object();

	json_add_text(o, "name", feature_infos[feature].name);
	json_add_text(o, "state", feature_state_word(r->state));
	json_add_bool(o, "required", required);
	json_object_object_add(o, "findings", findings_json(r));
	return o;
}
