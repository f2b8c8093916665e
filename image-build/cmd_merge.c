// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* socle-image merge: one image of a whole container image. */
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "image-build/command.h"
#include "image-build/convert.h"
#include "image-build/base/memory.h"
#include "image-build/disk/contents.h"
#include "image-build/tree/merge.h"
#include "image-build/base/output.h"
#include "image-build/base/refuse.h"

struct build {
	const struct convert_options *options;
	struct oci_image image;
	struct layer layers[LAYERS_MAX];
	struct output outputs[LAYERS_MAX]; /* the first is the image; the others are not there */
	struct image_making making;
	_Atomic uint64_t done;
};

/* What stands for all layers: sha256 over their diff_ids, one a line, the bottom first. */
static void digest_sources(const struct oci_image *image, struct digest *ret)
{
	char text[DIGEST_TEXT_SIZE];
	struct hasher h;

	hasher_start(&h, "sha256");
	for (size_t i = 0; i < image->layer_count; i++) {
		digest_text(&image->layers[i].diff_id, text);
		hasher_add(&h, text, strlen(text));
		hasher_add(&h, "\n", 1);
	}
	hasher_finish(&h, ret);
	hasher_stop(&h);
}

/* The bottom's files are in the output already, the others' come behind them. */
static int merge_contents(struct build *b, struct err *e)
{
	struct layer *l = b->layers;

	merge_layers(l, b->image.layer_count);
	return contents_pack(&l->tree, &l->store, true, e);
}

static int make_image(struct build *b, struct err *e)
{
	char *parent auto_text = memory_text(b->options->output);
	struct layer *l = b->layers;
	struct digest source;
	struct progress p;
	int r = merge_contents(b, e);

	if (!r)
		r = convert_check_room(dirname(parent), convert_room(&l->tree, l->store.blocks), e);
	if (r)
		return r;
	digest_sources(&b->image, &source);
	b->making = (struct image_making){
		.tree = &l->tree,
		.store = &l->store,
		.path = b->outputs[0].temp,
		.label = "",
		.source = &source,
	};
	progress_start(&p, "writing", (uint64_t)l->store.blocks * CONTENT_BLOCK, &b->done);
	return images_make(&b->making, 1, &b->options->salt, &b->done, &p, e);
}

static int build(struct build *b, const struct oci_source *s, struct err *e)
{
	char *copy auto_text = memory_text(b->options->output);
	char *json auto_text = memory_printf("%s.json", b->options->output);
	struct image_layer layer = { basename(copy), NULL, &b->making.image };
	int r = output_create(&b->outputs[0], b->options->output, e);

	if (!r)
		r = convert_read(s, b->options, &b->image, b->outputs, b->layers, e);
	if (!r)
		r = make_image(b, e);
	if (!r)
		r = output_commit(&b->outputs[0], e);
	if (!r)
		r = convert_report(json, b->options, &b->image, &layer, 1, 0, e);
	output_discard(&b->outputs[0]);
	for (size_t i = 0; i < b->image.layer_count; i++)
		layer_free(&b->layers[i]);
	return r;
}

int merge_make(const struct convert_options *o, const char *path, struct err *e)
{
	char *copy auto_text = memory_text(o->output);
	struct build *b = memory_zero(1, sizeof(*b));
	struct oci_source source = { .directory = -1 };
	int r;

	b->options = o;
	for (size_t i = 0; i < LAYERS_MAX; i++) {
		b->outputs[i].fd = -1;
		b->layers[i].store = (struct store)STORE_NONE;
	}
	r = output_not_input(o->output, path, e);
	if (!r)
		r = oci_source_open(&source, path, dirname(copy), e);
	if (!r)
		r = oci_load(&source, o->ref, o->platform, &b->image, e);
	if (!r)
		r = build(b, &source, e);
	oci_source_close(&source);
	free(b);
	return r;
}

static const struct option_row options[] = {
	{ "--output", "FILE", offsetof(struct convert_options, output), option_text, false,
	  "the image; FILE.json describes it (default: merged.img)" },
	{ .name = NULL },
};

static int run(int argc, char **argv)
{
	struct convert_options o = { .output = "merged.img", CONVERT_DEFAULTS };
	struct err e = { .text = "" };
	const char *path = NULL;
	int status = option_parse(&command_merge, argc, argv, &o, &path);

	if (status)
		return status;
	return merge_make(&o, path, &e) ? command_failed(&e) : STATUS_OK;
}

const struct command command_merge = {
	.name = "merge",
	.summary = "Turn a container image into one erofs image with dm-verity, its layers applied",
	.operands = "<OCI image layout or docker archive: a directory or a tar>",
	.details = "",
	.options = options,
	.more_options = convert_rows,
	.run = run,
};
