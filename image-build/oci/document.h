/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_OCI_DOCUMENT_H
#define IMAGE_BUILD_OCI_DOCUMENT_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

#include "image-build/base/digest.h"
#include "lib/err.h"

/* The JSON documents of an image, which nothing has proved. */

static inline void document_cleanup(struct json_object **o)
{
	json_object_put(*o);
}

#define auto_json __attribute__((cleanup(document_cleanup)))

/* A whole text that is one value of this type; name is for the message. */
int document_parse(const char *text, size_t size, const char *name, enum json_type type,
		   struct json_object **ret, struct err *e);

/* NULL where there is none of this type; o may be NULL or anything. */
struct json_object *document_member(struct json_object *o, const char *key, enum json_type type);

/* A string, or "" where there is none; NULL where it does not fit or has a NUL in it. */
const char *document_text(struct json_object *o, const char *key, size_t room);

int document_digest(struct json_object *o, const char *key, struct digest *ret, struct err *e);

/* A configuration's "rootfs.diff_ids", of which there must be as many as layers: 1 to LAYERS_MAX.
 */
int document_diff_ids(struct json_object *config, size_t layers, struct json_object **ret,
		      struct err *e);
int document_diff_id(struct json_object *ids, size_t index, struct digest *ret, struct err *e);

/*
 * "os/architecture[/variant]" of a descriptor's "platform" or of a configuration,
 * which have the same keys; "" of NULL.
 */
void document_platform(struct json_object *o, char *text, size_t size);

/* "linux/arm64" matches "linux/arm64/v8": a variant counts where it is asked for. */
bool platform_matches(const char *have, const char *want);

/* This machine's. */
const char *platform_host(void);

#endif
