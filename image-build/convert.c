// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/convert.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "image-build/base/jobs.h"
#include "image-build/base/memory.h"
#include "image-build/base/output.h"
#include "image-build/base/refuse.h"
#include "image-build/oci/media_type.h"
#include "image-build/plan/line.h"
#include "image-build/tree/layer_read.h"
#include "image-build/tree/resolve.h"
#include "lib/cleanup.h"

struct reading {
	const struct oci_source *source;
	const struct oci_image *image;
	const struct output *outputs;
	struct layer *layers;
	struct layer_budget budget;
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
	  "salt of the hash tree (default: content, from the layers' diff_ids)" },
	{ "--max-size", "SIZE", offsetof(struct convert_options, max_size), option_size, false,
	  "most that the image's files may hold, holes included (default: 64G)" },
	{ "--append", "TEXT", offsetof(struct convert_options, append), option_text, false,
	  "further words for the command line of image.json, such as socle.agent=/sbin/agent" },
	{ "--json", NULL, offsetof(struct convert_options, json), option_flag, false,
	  "print image.json instead of a summary" },
	{ .name = NULL },
};

static int check_digests(const struct blob_digests *d, const struct oci_layer *l, struct err *e)
{
	char want[DIGEST_TEXT_SIZE], have[DIGEST_TEXT_SIZE];

	if (d->stored_bytes != l->size)
		return refuse(e, "the blob has %" PRIu64 " bytes, the image manifest says %" PRIu64,
			      d->stored_bytes, l->size);
	if (!digest_equal(&d->stored, &l->digest)) {
		digest_text(&d->stored, have);
		return refuse(e, "the blob's bytes have digest %s; it was altered or damaged",
			      have);
	}
	if (digest_equal(&d->plain, &l->diff_id))
		return 0;
	digest_text(&d->plain, have);
	digest_text(&l->diff_id, want);
	return refuse(e, "unpacked it is %s, the configuration's diff_id is %s", have, want);
}

/* An altered blob is the better explanation of a tar that cannot be read. */
static void explain_by_digest(const struct blob_digests *d, const struct oci_layer *l,
			      struct err *e)
{
	struct err tar_error = *e;

	if (!digest_equal(&d->stored, &l->digest))
		err_set(e, tar_error.code, EINVAL,
			"the blob was altered or damaged: its digest is wrong (%.300s)",
			tar_error.text);
}

static int read_blob(struct reading *reading, size_t index, int fd, struct err *e)
{
	const struct oci_layer *l = &reading->image->layers[index];
	struct blob_digests digests;
	struct err digest_error;
	struct blob b;
	int r, finished;

	r = blob_open(&b, fd, l->compression, l->digest.algorithm, l->diff_id.algorithm,
		      &reading->done, e);
	if (!r) {
		r = layer_read(&reading->layers[index], &b, e);
		finished = blob_finish(&b, &digests, &digest_error);
		if (!r && finished)
			*e = digest_error;
		if (!r)
			r = finished ? finished : check_digests(&digests, l, e);
		else if (!finished)
			explain_by_digest(&digests, l, e);
	}
	blob_close(&b);
	return r;
}

/* The store has a descriptor of its own, whatever becomes of the output. */
static int open_store(struct reading *reading, size_t index, struct err *e)
{
	int output = reading->outputs[index].fd;
	int fd = output < 0 ? output_scratch(reading->source->scratch, e) :
			      fcntl(output, F_DUPFD_CLOEXEC, 0);
	int tails;

	if (fd < 0)
		return output < 0 ? -EIO : system_failed(e, "open the output once more");
	tails = output_scratch(reading->source->scratch, e);
	store_open(&reading->layers[index].store, fd, tails, 1);
	return tails < 0 ? -EIO : 0;
}

static int read_layer(void *context, size_t index, struct err *e)
{
	struct reading *reading = context;
	const struct oci_layer *l = &reading->image->layers[index];
	int fd auto_fd = oci_source_file(reading->source, l->file, e);
	char text[DIGEST_TEXT_SIZE];
	int r = fd < 0 ? fd : 0;

	if (r == -ENOENT && media_type_may_be_absent(l->media_type))
		r = refuse(e, "a foreign layer that is not in the layout; fetch it first");
	if (!r)
		r = open_store(reading, index, e);
	if (!r)
		r = read_blob(reading, index, fd, e);
	/* A layer above may want what a hard link of it leads to. */
	if (!r)
		r = store_flush(&reading->layers[index].store, e);
	if (!r)
		return 0;
	digest_text(&l->digest, text);
	return err_prefix(e, r, "layer %zu (%.19s...): ", index, text);
}

static void tell_notes(const struct layer *layers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (int n = 0; n < LAYER_NOTES; n++)
			if (layers[i].notes[n][0])
				fprintf(stderr, "socle-image: warning: layer %zu: %s\n", i,
					layers[i].notes[n]);
}

/* Bytes that a directory's file system still takes. */
static int free_bytes(const char *directory, uint64_t *ret, struct err *e)
{
	struct statvfs st;

	if (statvfs(directory, &st))
		return system_failed(e, "%s", directory);
	if (__builtin_mul_overflow((uint64_t)st.f_bavail, (uint64_t)st.f_frsize, ret))
		*ret = UINT64_MAX;
	return 0;
}

static int check_free(const char *directory, uint64_t needed, const char *what, struct err *e)
{
	uint64_t left = 0;
	int r = free_bytes(directory, &left, e);

	if (!r && left < needed)
		r = system_result(e, -ENOSPC,
				  "%s: %s needs %" PRIu64 " bytes there, and %" PRIu64 " are free",
				  directory, what, needed, left);
	return r;
}

uint64_t convert_room(const struct tree *t, uint64_t content_blocks)
{
	/* An inode and its entry, or a little more. */
	uint64_t metadata = (t->names + 1) * 128;

	/* 1/128 of it is hashes, and a little more. */
	return metadata + (content_blocks * CONTENT_BLOCK + metadata) / 126;
}

int convert_check_room(const char *directory, uint64_t needed, struct err *e)
{
	return check_free(directory, needed, "writing the image", e);
}

static int resolve_all(const struct oci_image *image, struct layer *layers, struct err *e)
{
	for (size_t i = 0; i < image->layer_count; i++) {
		int r = resolve_layer(layers, i, e);

		if (r)
			return err_prefix(e, r, "layer %zu: ", i);
	}
	return 0;
}

int convert_read(const struct oci_source *s, const struct convert_options *o,
		 const struct oci_image *image, const struct output *outputs, struct layer *layers,
		 struct err *e)
{
	struct reading reading = {
		.source = s, .image = image, .outputs = outputs, .layers = layers
	};
	struct progress p;
	uint64_t total = 0;
	int r;

	reading.budget.max_bytes = o->max_size;
	for (size_t i = 0; i < image->layer_count; i++) {
		layer_init(&layers[i]);
		layers[i].budget = &reading.budget;
		total += image->layers[i].size;
	}
	/* Packed they are smaller than what they hold, mostly. */
	r = check_free(s->scratch, total, "reading the layers", e);
	progress_start(&p, "reading", total, &reading.done);
	if (!r)
		r = jobs_in_threads(image->layer_count, read_layer, &reading, &p, e);
	if (!r)
		r = resolve_all(image, layers, e);
	if (!r)
		tell_notes(layers, image->layer_count);
	for (size_t i = 0; i < image->layer_count; i++)
		layers[i].budget = NULL;
	return err_prefix(e, r, "%.200s: ", s->path);
}

static void warn_of_length(const char *cmdline)
{
	if (strlen(cmdline) > CMDLINE_WARN_BYTES)
		fprintf(stderr,
			"socle-image: warning: this command line has %zu bytes, and an x86 kernel "
			"accepts 2047 in all, 2033 where UEFI starts it; --salt none makes it "
			"shorter, "
			"merge makes one layer of all\n",
			strlen(cmdline));
}

static void print_summary(const struct image_layer *layers, size_t count, const char *cmdline)
{
	for (size_t i = 0; i < count; i++)
		printf("%s  %" PRIu64 " bytes, serial %s\n", layers[i].file, layers[i].image->size,
		       layers[i].image->serial);
	printf("%s\n", cmdline);
}

static char *make_cmdline(const struct convert_options *o, const struct image_layer *layers,
			  size_t count)
{
	char *text auto_text = image_cmdline(layers, count);
	char *all auto_text =
		memory_printf("%s%s%s", text, o->append ? " " : "", o->append ? o->append : "");

	return line_seal(all);
}

int convert_report(const char *path, const struct convert_options *o,
		   const struct oci_image *source, const struct image_layer *layers, size_t count,
		   size_t hidden, struct err *e)
{
	char *cmdline auto_text = make_cmdline(o, layers, count);
	char *json auto_text = image_json(source, layers, count, hidden, cmdline);
	int r = output_write(path, json, strlen(json), e);

	if (r)
		return r;
	warn_of_length(cmdline);
	if (o->json)
		printf("%s", json);
	else if (!o->quiet)
		print_summary(layers, count, cmdline);
	return 0;
}
