/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_INSPECT_INSPECT_H
#define IMAGE_BUILD_INSPECT_INSPECT_H

#include <json-c/json.h>

#include "image-build/inspect/protection.h"

struct inspect_options {
	struct proof_wanted wanted;
	unsigned int partition; /* the only one that is looked at; 0: all of them */
};

/* What a file is, into o; what was found before a failure stays there. */
int inspect_path(const char *path, const struct inspect_options *options, struct json_object *o,
		 struct err *e);

#endif
