// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* socle-image merge: one image of a whole container image. */
#include <libgen.h>
#include <stdlib.h>

#include "image-build/command.h"
#include "image-build/convert.h"
#include "image-build/base/jobs.h"
#include "image-build/base/memory.h"
#include "image-build/tree/merge.h"
#include "image-build/base/output.h"
#include "image-build/base/refuse.h"
#include "image-build/tree/tar_write.h"

struct build {
	const struct convert_options *options;
	struct oci_image image;
	struct layer layers[LAYERS_MAX];
	struct output output;
	struct built_image *built; /* shared with the child */
	_Atomic uint64_t *done;    /* shared, too */
};

static int make_image(void *context, size_t index, struct err *e)
{
	struct build *b = context;

	(void)index;
	return image_make(&b->layers[0].tree, b->output.temp, &b->options->salt, b->built, b->done,
			  e);
}

static int write_image(struct build *b, struct err *e)
{
	char *copy auto_text = memory_text(b->options->output);
	char *json auto_text = memory_printf("%s.json", b->options->output);
	char *parent auto_text = memory_text(b->options->output);
	struct image_layer layer = { basename(copy), NULL, b->built };
	struct progress p;
	uint64_t size;
	int r;

	merge_layers(b->layers, b->image.layer_count);
	size = tar_size_estimate(&b->layers[0].tree);
	r = convert_check_room(dirname(parent), size, size, e);
	if (!r)
		r = output_create(&b->output, b->options->output, e);
	if (r)
		return r;
	progress_start(&p, "writing", size, b->done);
	r = jobs_in_children(1, make_image, b, &p, e);
	if (!r)
		r = output_commit(&b->output, e);
	if (!r)
		r = convert_report(json, b->options, &b->image, &layer, 1, 0, e);
	output_discard(&b->output);
	return r;
}

int merge_make(const struct convert_options *o, const char *path, struct err *e)
{
	char *copy auto_text = memory_text(o->output);
	struct build *b = memory_zero(1, sizeof(*b));
	struct oci_source source = { .directory = -1 };
	int r;

	b->options = o;
	b->output.fd = -1;
	b->built = jobs_shared(sizeof(*b->built));
	b->done = jobs_shared(sizeof(*b->done));
	r = output_not_input(o->output, path, e);
	if (!r)
		r = oci_source_open(&source, path, dirname(copy), e);
	if (!r)
		r = oci_load(&source, o->ref, o->platform, &b->image, e);
	if (!r) {
		r = convert_read(&source, o, &b->image, b->layers, e);
		if (!r)
			r = write_image(b, e);
		for (size_t i = 0; i < b->image.layer_count; i++)
			layer_free(&b->layers[i]);
	}
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
