// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/oci/descriptor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image-build/base/refuse.h"
#include "image-build/oci/document.h"

#define REF_NAME "org.opencontainers.image.ref.name"

int descriptor_read(struct json_object *o, struct descriptor *ret, struct err *e)
{
	struct json_object *size = document_member(o, "size", json_type_int);
	const char *type = document_text(o, "mediaType", sizeof(ret->media_type));
	const char *ref = document_text(document_member(o, "annotations", json_type_object),
					REF_NAME, sizeof(ret->ref));

	if (!size || json_object_get_int64(size) < 0)
		return refuse(e, "a descriptor without a \"size\"");
	if (!type || !ref)
		return refuse(e, "a descriptor with an overlong \"mediaType\" or name");
	ret->size = (uint64_t)json_object_get_int64(size);
	snprintf(ret->media_type, sizeof(ret->media_type), "%s", type);
	snprintf(ret->ref, sizeof(ret->ref), "%s", ref);
	document_platform(document_member(o, "platform", json_type_object), ret->platform,
			  sizeof(ret->platform));
	return document_digest(o, "digest", &ret->digest, e);
}

void descriptor_file(const struct descriptor *d, char file[OCI_FILE_SIZE])
{
	char name[DIGEST_TEXT_SIZE];

	digest_text(&d->digest, name);
	*strchr(name, ':') = '/';
	snprintf(file, OCI_FILE_SIZE, "blobs/%s", name);
}

int descriptor_document(const struct oci_source *s, const struct descriptor *d,
			struct json_object **ret, struct err *e)
{
	char file[OCI_FILE_SIZE], *text = NULL;
	struct digest found;
	struct hasher h;
	size_t size;
	int r;

	descriptor_file(d, file);
	r = oci_source_text(s, file, &text, &size, e);
	if (r)
		return r;
	hasher_start(&h, d->digest.algorithm);
	hasher_add(&h, text, size);
	hasher_finish(&h, &found);
	hasher_stop(&h);
	if (size != d->size)
		r = refuse(e, "%s has %zu bytes, its descriptor says %llu", file, size,
			   (unsigned long long)d->size);
	else if (!digest_equal(&found, &d->digest))
		r = refuse(e, "%s does not have the digest that is its name", file);
	else
		r = document_parse(text, size, file, json_type_object, ret, e);
	free(text);
	return r;
}
