// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/convert.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "image-build/base/jobs.h"
#include "image-build/base/memory.h"
#include "image-build/base/output.h"
#include "image-build/base/refuse.h"
#include "image-build/tree/resolve.h"
#include "lib/cleanup.h"
#include "image-build/base/write.h"

struct reading {
	const struct oci_source *source;
	const struct oci_image *image;
	struct layer *layers;
	_Atomic uint64_t done;
};

static int platform_parse(const char *text, void *field, struct err *e)
{
	if (!strchr(text, '/'))
		return refuse(e, "%.60s is not os/architecture", text);
	return option_text(text, field, e);
}

const struct option_row convert_rows[] = {
	{ "--ref", "NAME", offsetof(struct convert_options, ref), option_text, false,
	  "the image's name in the layout, where it holds several" },
	{ "--platform", "OS/ARCH", offsetof(struct convert_options, platform), platform_parse,
	  false,
	  "which image of an index; a lone image must match it, too (default: this machine's, "
	  "or a lone image)" },
	{ "--salt", "content|none|HEX", offsetof(struct convert_options, salt), salt_parse, false,
	  "salt of the hash tree (default: content, the erofs' sha256)" },
	{ "--json", NULL, offsetof(struct convert_options, json), option_flag, false,
	  "print image.json instead of a summary" },
	{ .name = NULL },
};

static int check_digests(struct blob *b, const struct oci_layer *l, struct err *e)
{
	char want[DIGEST_TEXT_SIZE], have[DIGEST_TEXT_SIZE];
	struct digest stored, plain;

	hasher_finish(&b->stored, &stored);
	hasher_finish(&b->plain, &plain);
	if (b->stored_bytes != l->size)
		return refuse(e, "the blob has %" PRIu64 " bytes, the image manifest says %" PRIu64,
			      b->stored_bytes, l->size);
	if (!digest_equal(&stored, &l->digest)) {
		digest_text(&stored, have);
		return refuse(e, "the blob's bytes have digest %s; it was altered or damaged",
			      have);
	}
	if (digest_equal(&plain, &l->diff_id))
		return 0;
	digest_text(&plain, have);
	digest_text(&l->diff_id, want);
	return refuse(e, "unpacked it is %s, the configuration's diff_id is %s", have, want);
}

/* An altered blob is the better explanation of a tar that cannot be read. */
static int explain_by_digest(struct blob *b, const struct oci_layer *l, int failure)
{
	const void *bytes;
	struct digest stored;

	while (blob_read(b, &bytes, NULL) > 0)
		;
	if (!b->input_ended)
		return failure;
	hasher_finish(&b->stored, &stored);
	return digest_equal(&stored, &l->digest) ? failure : 0;
}

static int read_blob(struct reading *reading, size_t index, int fd, struct err *e)
{
	const struct oci_layer *l = &reading->image->layers[index];
	struct err digest_error;
	struct blob b;
	int r;

	blob_open(&b, fd, l->compression, l->digest.algorithm, l->diff_id.algorithm,
		  &reading->done);
	r = layer_read(&reading->layers[index], &b, e);
	if (!r)
		r = check_digests(&b, l, e);
	else if (!explain_by_digest(&b, l, r))
		*e = (err_set(&digest_error, e->code, -r,
			      "the blob was altered or damaged: its digest is wrong (%.300s)",
			      e->text),
		      digest_error);
	blob_close(&b);
	return r;
}

static int read_layer(void *context, size_t index, struct err *e)
{
	struct reading *reading = context;
	const struct oci_layer *l = &reading->image->layers[index];
	int fd auto_fd = oci_source_blob(reading->source, &l->digest, e);
	char text[DIGEST_TEXT_SIZE];
	int r = fd < 0 ? fd : 0;

	if (!r) {
		reading->layers[index].spool.fd = output_scratch(reading->source->scratch, e);
		r = reading->layers[index].spool.fd < 0 ? -EIO : 0;
	}
	if (!r)
		r = read_blob(reading, index, fd, e);
	if (!r)
		return 0;
	digest_text(&l->digest, text);
	err_prefix(e, "layer %zu (%.19s...): ", index, text);
	return r;
}

int convert_read(const struct oci_source *s, const struct oci_image *image, struct layer *layers,
		 struct err *e)
{
	struct reading reading = { .source = s, .image = image, .layers = layers };
	struct progress p;
	uint64_t total = 0;
	int r;

	for (size_t i = 0; i < image->layer_count; i++) {
		layer_init(&layers[i]);
		total += image->layers[i].size;
	}
	progress_start(&p, "reading", total, &reading.done);
	r = jobs_in_threads(image->layer_count, read_layer, &reading, &p, e);
	for (size_t i = 0; !r && i < image->layer_count; i++) {
		r = resolve_layer(layers, i, e);
		if (r)
			err_prefix(e, "layer %zu: ", i);
	}
	if (r)
		err_prefix(e, "%.200s: ", s->path);
	return r;
}

static void warn_of_length(const char *cmdline)
{
	if (strlen(cmdline) > CMDLINE_WARN_BYTES)
		fprintf(stderr,
			"socle-image: warning: this command line has %zu bytes, and an x86 kernel "
			"accepts 2047 in all; --salt none makes it shorter, merge makes one layer "
			"of all\n",
			strlen(cmdline));
}

static void print_summary(const struct image_layer *layers, size_t count, const char *cmdline)
{
	for (size_t i = 0; i < count; i++)
		printf("%s  %" PRIu64 " bytes, serial %s\n", layers[i].file, layers[i].image->size,
		       layers[i].image->serial);
	printf("%s\n", cmdline);
}

static int write_text(const char *path, const char *text, struct err *e)
{
	struct output o;
	int r = output_create(&o, path, e);

	if (r)
		return r;
	r = write_all(o.fd, text, strlen(text));
	if (r) {
		output_discard(&o);
		return system_result(e, r, "write %s", path);
	}
	return output_commit(&o, e);
}

int convert_report(const char *path, const struct convert_options *o,
		   const struct oci_image *source, const struct image_layer *layers, size_t count,
		   struct err *e)
{
	char *cmdline auto_text = image_cmdline(layers, count);
	char *json auto_text = image_json(source, layers, count);
	int r = write_text(path, json, e);

	if (r)
		return r;
	warn_of_length(cmdline);
	if (o->json)
		printf("%s", json);
	else
		print_summary(layers, count, cmdline);
	return 0;
}
