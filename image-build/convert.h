/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_CONVERT_H
#define IMAGE_BUILD_CONVERT_H

#include "image-build/disk/built_image.h"
#include "image-build/tree/layer.h"
#include "image-build/bundle/image_json.h"
#include "image-build/oci/oci.h"
#include "image-build/base/limits.h"
#include "image-build/base/option.h"
#include "image-build/base/output.h"

/* What `layers` and `merge` have in common: reading an image, and telling of what was made. */
struct convert_options {
	const char *output;
	const char *ref;
	const char *platform;
	struct salt_choice salt;
	uint64_t max_size;  /* bytes */
	const char *append; /* further words for the command line, or NULL */
	bool json;
	bool quiet; /* say nothing of what was made on standard output */
};

/* The defaults of all but output. */
#define CONVERT_DEFAULTS .max_size = DEFAULT_MAX_BYTES

/* Their common options, in a struct convert_options. */
extern const struct option_row convert_rows[];

/*
 * Read and verify every layer of an image, all of them at once: trees in
 * layers[0 … layer_count - 1], the bottom first, resolved. What is left out of
 * the image is said on standard error. What the files of layer i hold goes where it
 * stays, into outputs[i], from its second block on, or into a temporary file if that
 * has no descriptor.
 */
int convert_read(const struct oci_source *s, const struct convert_options *o,
		 const struct oci_image *image, const struct output *outputs, struct layer *layers,
		 struct err *e);

/*
 * Refuse to go on where the output's file system has no room for what images get
 * besides their contents: about so many bytes.
 */
uint64_t convert_room(const struct tree *t, uint64_t content_blocks);
int convert_check_room(const char *directory, uint64_t needed, struct err *e);

/*
 * Write image.json beside the images, and say on standard output what there is.
 * The lowest layers of the source, hidden of them, have no image.
 */
int convert_report(const char *path, const struct convert_options *o,
		   const struct oci_image *source, const struct image_layer *layers, size_t count,
		   size_t hidden, struct err *e);

/*
 * The commands: of the image at path, layer-00.img … and image.json into the directory
 * o->output, or one image o->output, and o->output.json.
 */
int layers_make(const struct convert_options *o, const char *path, struct err *e);
int merge_make(const struct convert_options *o, const char *path, struct err *e);

#endif
