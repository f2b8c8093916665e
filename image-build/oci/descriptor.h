/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_OCI_DESCRIPTOR_H
#define IMAGE_BUILD_OCI_DESCRIPTOR_H

#include <json-c/json.h>

#include "image-build/base/digest.h"
#include "image-build/oci/oci_image.h"
#include "image-build/oci/oci_source.h"

/* What leads from one document of a layout to the next. Source: OCI image-spec, descriptor.md. */
struct descriptor {
	struct digest digest;
	uint64_t size;
	char media_type[96];
	char ref[256];
	char platform[96]; /* "" where none is given */
};

int descriptor_read(struct json_object *o, struct descriptor *ret, struct err *e);

/* The file that it names, below the layout. */
void descriptor_file(const struct descriptor *d, char file[OCI_FILE_SIZE]);

/* Read the document that it names; size and digest must be what it says. */
int descriptor_document(const struct oci_source *s, const struct descriptor *d,
			struct json_object **ret, struct err *e);

#endif
