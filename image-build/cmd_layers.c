// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* socle-image layers: one image file for each layer of a container image. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "image-build/command.h"
#include "image-build/convert.h"
#include "image-build/base/memory.h"
#include "image-build/base/output.h"
#include "image-build/disk/contents.h"
#include "image-build/tree/whiteouts.h"
#include "image-build/base/refuse.h"

#define FILE_NAME_SIZE 32

struct build {
	const struct convert_options *options;
	const struct oci_image *image;
	size_t bottom; /* the lowest layer of the stack: those below it are hidden */
	struct layer layers[LAYERS_MAX];
	struct output outputs[LAYERS_MAX];
	size_t same_as[LAYERS_MAX]; /* the lowest layer whose image has the same bytes */
	char names[LAYERS_MAX][FILE_NAME_SIZE];
	char labels[LAYERS_MAX][FILE_NAME_SIZE];
	struct image_making makings[LAYERS_MAX];
	_Atomic uint64_t done;
};

static int create_outputs(struct build *b, struct err *e)
{
	for (size_t i = 0; i < b->image->layer_count; i++) {
		char *path auto_text = NULL;
		int r;

		snprintf(b->names[i], FILE_NAME_SIZE, "layer-%02zu.img", i);
		path = memory_printf("%s/%s", b->options->output, b->names[i]);
		r = output_create(&b->outputs[i], path, e);
		if (r)
			return r;
	}
	return 0;
}

/*
 * overlayfs does not look at the mark of a layer's root, so what lies below an
 * opaque root stays out of the stack.
 */
static size_t find_bottom(const struct build *b)
{
	size_t i = b->image->layer_count;

	while (i > 1 && !b->layers[i - 1].tree.root->inode->opaque)
		i--;
	return i ? i - 1 : 0;
}

/* A layer that has a copy of a file below it takes it from there: the top goes first. */
static int pack_contents(struct build *b, struct err *e)
{
	for (size_t i = b->image->layer_count; i-- > b->bottom;) {
		int r = contents_pack(&b->layers[i].tree, &b->layers[i].store, false, e);

		if (r)
			return err_prefix(e, r, "layer %zu: ", i);
	}
	return 0;
}

static int write_images(struct build *b, uint64_t total, struct err *e)
{
	struct progress p;

	progress_start(&p, "writing", total, &b->done);
	return images_make(&b->makings[b->bottom], b->image->layer_count - b->bottom,
			   &b->options->salt, &b->done, &p, e);
}

static int make_images(struct build *b, struct err *e)
{
	uint64_t total = 0, needed = 0;
	int r = pack_contents(b, e);

	if (r)
		return r;
	/* Only now: a layer's resolution looks at the ones below as they were read. */
	overlay_drop_marks(&b->layers[b->bottom].tree);
	for (size_t i = b->bottom; i < b->image->layer_count; i++) {
		struct layer *l = &b->layers[i];

		overlay_encode(&l->tree);
		snprintf(b->labels[i], FILE_NAME_SIZE, "layer %zu: ", i);
		b->makings[i] = (struct image_making){
			.tree = &l->tree,
			.store = &l->store,
			.path = b->outputs[i].temp,
			.label = b->labels[i],
			.source = &b->image->layers[i].diff_id,
		};
		total += (uint64_t)l->store.blocks * CONTENT_BLOCK;
		needed += convert_room(&l->tree, l->store.blocks);
	}
	r = convert_check_room(b->options->output, needed, e);
	return r ? r : write_images(b, total, e);
}

/* Their root hashes are over all that is in them, UUIDs included. */
static bool is_same(const struct built_image *a, const struct built_image *b)
{
	return a->size == b->size &&
	       !memcmp(a->verity.root_hash, b->verity.root_hash, sizeof(a->verity.root_hash)) &&
	       a->verity.salt_size == b->verity.salt_size &&
	       !memcmp(a->verity.salt, b->verity.salt, a->verity.salt_size);
}

/* Layers whose images came out the same share the file of the lowest. */
static int commit_images(struct build *b, struct err *e)
{
	for (size_t i = b->bottom; i < b->image->layer_count; i++) {
		size_t same = b->bottom;
		int r;

		while (same < i && !is_same(&b->makings[same].image, &b->makings[i].image))
			same++;
		b->same_as[i] = same;
		if (same < i) {
			output_discard(&b->outputs[i]);
			continue;
		}
		r = output_commit(&b->outputs[i], e);
		if (r)
			return r;
	}
	return 0;
}

static int report(struct build *b, struct err *e)
{
	char *path auto_text = memory_printf("%s/image.json", b->options->output);
	struct image_layer list[LAYERS_MAX];
	size_t count = b->image->layer_count - b->bottom;

	for (size_t i = 0; i < count; i++) {
		size_t from = b->image->layer_count - 1 - i;

		list[i] = (struct image_layer){ b->names[b->same_as[from]], &b->image->layers[from],
						&b->makings[from].image };
	}
	return convert_report(path, b->options, b->image, list, count, b->bottom, e);
}

static int build(struct build *b, const struct oci_source *s, struct err *e)
{
	int r = create_outputs(b, e);

	if (!r)
		r = convert_read(s, b->options, b->image, b->outputs, b->layers, e);
	if (!r) {
		b->bottom = find_bottom(b);
		for (size_t i = 0; i < b->bottom; i++)
			output_discard(&b->outputs[i]);
		r = make_images(b, e);
	}
	if (!r)
		r = commit_images(b, e);
	if (!r)
		r = report(b, e);
	for (size_t i = 0; i < b->image->layer_count; i++) {
		output_discard(&b->outputs[i]);
		layer_free(&b->layers[i]);
	}
	return r;
}

int layers_make(const struct convert_options *o, const char *path, struct err *e)
{
	struct oci_image *image = memory_zero(1, sizeof(*image));
	struct build *b = memory_zero(1, sizeof(*b));
	struct oci_source source = { .directory = -1 };
	int r;

	for (size_t i = 0; i < LAYERS_MAX; i++) {
		b->outputs[i].fd = -1;
		b->layers[i].store = (struct store)STORE_NONE;
	}
	b->options = o;
	b->image = image;
	r = oci_source_open(&source, path, o->output, e);
	if (!r)
		r = oci_load(&source, o->ref, o->platform, image, e);
	if (!r)
		r = build(b, &source, e);
	oci_source_close(&source);
	free(b);
	free(image);
	return r;
}

static const struct option_row options[] = {
	{ "--output", "DIR", offsetof(struct convert_options, output), option_text, false,
	  "where to write the files (default: the current directory)" },
	{ .name = NULL },
};

static int run(int argc, char **argv)
{
	struct convert_options o = { .output = ".", CONVERT_DEFAULTS };
	struct err e = { .text = "" };
	const char *path = NULL;
	int status = option_parse(&command_layers, argc, argv, &o, &path);

	if (status)
		return status;
	if (mkdir(o.output, 0777) && errno != EEXIST) {
		(void)system_failed(&e, "create directory %s", o.output);
		return command_failed(&e);
	}
	return layers_make(&o, path, &e) ? command_failed(&e) : STATUS_OK;
}

const struct command command_layers = {
	.name = "layers",
	.summary = "Turn each layer of a container image into an erofs image with dm-verity",
	.operands = "<OCI image layout or docker archive: a directory or a tar>",
	.details = "Writes layer-00.img (the bottom), layer-01.img, … and image.json, which\n"
		   "holds the verity parameters of each and the command line that boots them.",
	.options = options,
	.more_options = convert_rows,
	.run = run,
};
