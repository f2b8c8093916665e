/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_CONVERT_H
#define IMAGE_BUILD_CONVERT_H

#include "image-build/disk/image.h"
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

/* The value of --platform, a const char *: text with a slash in it. */
int platform_parse(const char *text, void *field, struct err *e);

/* Their common rows; T is a type whose field common is a struct convert_options. */
#define CONVERT_ROWS(T)                                                                            \
	{ "--ref",     "NAME", offsetof(T, ref),                                                   \
	  option_text, false,  "the image's name in the layout, where it holds several" },         \
		{ "--platform",                                                                    \
		  "OS/ARCH",                                                                       \
		  offsetof(T, platform),                                                           \
		  platform_parse,                                                                  \
		  false,                                                                           \
		  "which image of an index, or what a lone one must be for (default: this "        \
		  "machine's, or a lone one)" },                                                   \
		{ "--salt",                                                                        \
		  "content|none|HEX",                                                              \
		  offsetof(T, salt),                                                               \
		  salt_parse,                                                                      \
		  false,                                                                           \
		  "salt of the hash tree (default: content, the erofs' sha256)" },                 \
	{                                                                                          \
		"--json", NULL, offsetof(T, json), option_flag, false,                             \
			"print the manifest instead of a summary"                                  \
	}

/*
 * Read and verify every layer of an image, all of them at once: trees in
 * layers[0 … layer_count - 1], the bottom first, implied directories and links
 * to lower layers resolved. scratch is a directory for the contents.
 */
int convert_read(const struct oci_source *s, const struct oci_image *image, struct layer *layers,
		 struct err *e);

/* Write the manifest beside the images, and say on standard output what there is. */
int convert_report(const char *path, const struct convert_options *o,
		   const struct oci_image *source, const struct manifest_layer *layers,
		   size_t count, struct err *e);

#endif
