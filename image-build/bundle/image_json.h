/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_BUNDLE_IMAGE_JSON_H
#define IMAGE_BUILD_BUNDLE_IMAGE_JSON_H

#include <stddef.h>

#include "image-build/disk/built_image.h"
#include "image-build/oci/oci_image.h"

/* One layer as image.json and the command line name it. */
struct image_layer {
	const char *file;               /* without its directory */
	const struct oci_layer *source; /* NULL for a merged image */
	const struct built_image *image;
};

/*
 * The parameters of one image in the guest's grammar, "DEVICE,root_hash=…":
 * what the guest assumes anyway is left out. Allocated.
 */
char *image_layer_text(const char *device, const struct verity_params *v);

/* "socle.layer=… socle.layer=…", the first one topmost. Allocated. */
char *image_cmdline(const struct image_layer *layers, size_t count);

/*
 * image.json, layers[0] topmost. The lowest layers of the source, hidden of them,
 * are listed apart: an opaque root above them hides all that they hold; cmdline boots the
 * others. Allocated.
 */
char *image_json(const struct oci_image *source, const struct image_layer *layers, size_t count,
		 size_t hidden, const char *cmdline);

#endif
