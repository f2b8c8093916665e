/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_KERNEL_FEATURES_JSON_H
#define IMAGE_BUILD_KERNEL_FEATURES_JSON_H

#include <json-c/json.h>
#include <stdbool.h>

#include "image-build/kernel/features.h"

/* What was found out about a kernel, in words. */
const char *feature_state_word(unsigned int state);
const char *finding_word(unsigned int kind);

struct json_object *feature_json(enum feature feature, const struct feature_report *r,
				 bool required);

#endif
