/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_OCI_OCI_IMAGE_H
#define IMAGE_BUILD_OCI_OCI_IMAGE_H

#include "image-build/base/blob.h"
#include "image-build/base/digest.h"
#include "image-build/base/limits.h"

/* One container image: its layers, and what each must be. */

#define OCI_FILE_SIZE 256 /* of a blob's name in a layout or an archive, with the NUL */

struct oci_layer {
	char file[OCI_FILE_SIZE]; /* in the source */
	struct digest digest;     /* of the blob */
	uint64_t size;            /* of the blob, bytes */
	struct digest diff_id;
	char media_type[96];
	enum compression compression;
};

struct oci_image {
	char ref[256];          /* org.opencontainers.image.ref.name, or "" */
	struct digest manifest; /* size 0: it has no image manifest, as in a docker archive */
	struct digest config;
	size_t layer_count;
	struct oci_layer layers[LAYERS_MAX]; /* [0] is the bottom */
};

#endif
