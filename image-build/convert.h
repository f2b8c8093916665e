/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_CONVERT_H
#define IMAGE_BUILD_CONVERT_H

#include "image-build/disk/built_image.h"
#include "image-build/tree/layer.h"
#include "image-build/bundle/image_json.h"
#include "image-build/oci/oci.h"
#include "image-build/base/option.h"

/* What `layers` and `merge` have in common: reading an image, and telling of what was made. */
struct convert_options {
	const char *output;
	const char *ref;
	const char *platform;
	struct salt_choice salt;
	bool json;
};

/* Their common options, in a struct convert_options. */
extern const struct option_row convert_rows[];

/*
 * Read and verify every layer of an image, all of them at once: trees in
 * layers[0 … layer_count - 1], the bottom first, implied directories and links
 * to lower layers resolved. scratch is a directory for the contents.
 */
int convert_read(const struct oci_source *s, const struct oci_image *image, struct layer *layers,
		 struct err *e);

/* Write image.json beside the images, and say on standard output what there is. */
int convert_report(const char *path, const struct convert_options *o,
		   const struct oci_image *source, const struct image_layer *layers, size_t count,
		   struct err *e);

#endif
