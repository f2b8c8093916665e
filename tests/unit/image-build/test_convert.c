// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* From a layout or an archive to the layers' trees: what is read, and what is refused by name. */
#include "tests/unit/unit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "image-build/convert.h"
#include "tests/unit/image-build/image_tar.h"

#define OCI    "application/vnd.oci.image."
#define CONFIG OCI "config.v1+json"

__attribute__((format(printf, 1, 2))) static char *text(const char *fmt, ...)
{
	char *out = NULL;
	va_list args;

	va_start(args, fmt);
	assert_true(vasprintf(&out, fmt, args) >= 0);
	va_end(args);
	return out;
}

static void digest_of(const void *bytes, size_t size, char name[DIGEST_TEXT_SIZE])
{
	struct digest d;
	struct hasher h;

	hasher_start(&h, "sha256");
	hasher_add(&h, bytes, size);
	hasher_finish(&h, &d);
	hasher_stop(&h);
	digest_text(&d, name);
}

/* --- what is packed into a layer ------------------------------------------------------ */

static void add_gzip(struct bytes *to, const struct bytes *plain)
{
	z_stream z = { 0 };
	uint8_t *out = malloc(plain->size + 1000);

	assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = plain->at;
	z.avail_in = (uInt)plain->size;
	z.next_out = out;
	z.avail_out = (uInt)plain->size + 1000;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	bytes_add(to, out, z.total_out);
	deflateEnd(&z);
	free(out);
}

static void add_zstd(struct bytes *to, const struct bytes *plain)
{
	size_t room = ZSTD_compressBound(plain->size);
	uint8_t *out = malloc(room);

	bytes_add(to, out, ZSTD_compress(out, room, plain->at, plain->size, 3));
	free(out);
}

/* A tar with a file that does not pack away to nothing. */
static void make_layer(struct bytes *plain, const char *name)
{
	static char data[20000];
	unsigned int value = 1;
	const struct member members[] = { { name, '0', .data = data }, { .name = NULL } };

	for (size_t i = 0; i < sizeof(data) - 1; i++) {
		value = value * 1103515245 + 12345;
		data[i] = (char)('a' + (value >> 16) % 26);
	}
	tar_add(plain, members);
	tar_end(plain, 2);
}

/* --- running it ------------------------------------------------------------------------ */

struct run {
	struct temp temp;
	struct oci_image *image;
	struct layer *layers;
	struct convert_options options;
	struct err e;
	int r;
};

static void start(struct run *run)
{
	*run = (struct run){ .image = calloc(1, sizeof(*run->image)),
			     .layers = calloc(LAYERS_MAX, sizeof(*run->layers)) };
	run->options.max_size = DEFAULT_MAX_BYTES;
	temp_make(&run->temp);
}

static void convert(struct run *run, const char *path)
{
	struct output *none;
	struct oci_source s;

	run->e = (struct err){ .text = "" };
	memset(run->image, 0, sizeof(*run->image));
	run->r = oci_source_open(&s, path, run->temp.path, &run->e);
	if (run->r)
		return;
	run->r = oci_load(&s, run->options.ref, run->options.platform, run->image, &run->e);
	if (!run->r) {
		none = calloc(LAYERS_MAX, sizeof(*none));
		assert_non_null(none);
		for (size_t i = 0; i < LAYERS_MAX; i++)
			none[i].fd = -1;
		run->r = convert_read(&s, &run->options, run->image, none, run->layers, &run->e);
		free(none);
		for (size_t i = 0; i < run->image->layer_count; i++)
			layer_free(&run->layers[i]);
	}
	oci_source_close(&s);
}

static void stop(struct run *run)
{
	free(run->image);
	free(run->layers);
	temp_remove(&run->temp);
}

/* --- layouts --------------------------------------------------------------------------- */

static char *put_blob(const struct temp *t, const char *type, const void *bytes, size_t size,
		      bool there)
{
	char name[DIGEST_TEXT_SIZE], path[DIGEST_TEXT_SIZE + 16];

	digest_of(bytes, size, name);
	snprintf(path, sizeof(path), "blobs/%s", name);
	*strchr(path, ':') = '/';
	if (there)
		put_bytes(t->fd, path, bytes, size);
	return text("{\"mediaType\":\"%s\",\"digest\":\"%s\",\"size\":%zu}", type, name, size);
}

/* A layout of one image with one layer, stored so and called so. */
static void put_layout(const struct temp *t, const char *type, const struct bytes *stored,
		       const struct bytes *plain, bool there)
{
	char diff_id[DIGEST_TEXT_SIZE];
	char *layer = put_blob(t, type, stored->at, stored->size, there);
	char *config, *manifest, *descriptor, *index;

	digest_of(plain->at, plain->size, diff_id);
	config = text("{\"os\":\"linux\",\"architecture\":\"amd64\",\"rootfs\":{\"diff_ids\":"
		      "[\"%s\"]}}",
		      diff_id);
	descriptor = put_blob(t, CONFIG, config, strlen(config), true);
	manifest = text("{\"config\":%s,\"layers\":[%s]}", descriptor, layer);
	free(descriptor);
	descriptor = put_blob(t, OCI "manifest.v1+json", manifest, strlen(manifest), true);
	index = text("{\"manifests\":[%s]}", descriptor);
	put_text(t->fd, "index.json", index);
	free(layer);
	free(config);
	free(manifest);
	free(descriptor);
	free(index);
}

static void add_plain(struct bytes *to, const struct bytes *plain)
{
	bytes_add(to, plain->at, plain->size);
}

/* A whole layer is read; of one cut in the middle it is said, whatever its digest is. */
static void test_cut_layers(void **state)
{
	static const struct {
		const char *type, *words;
		void (*pack)(struct bytes *to, const struct bytes *plain);
	} rows[] = {
		{ OCI "layer.v1.tar+gzip", "its gzip stream is cut short", add_gzip },
		{ OCI "layer.v1.tar+zstd", "its zstd stream is cut short", add_zstd },
		{ OCI "layer.v1.tar", "", add_plain },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bytes plain = { .size = 0 }, stored = { .size = 0 };
		struct run run;

		start(&run);
		make_layer(&plain, "file");
		rows[i].pack(&stored, &plain);
		put_layout(&run.temp, rows[i].type, &stored, &plain, true);
		convert(&run, run.temp.path);
		expect_success(rows[i].type, run.r, &run.e);
		stored.size /= 2;
		put_layout(&run.temp, rows[i].type, &stored, &plain, true);
		convert(&run, run.temp.path);
		expect_failure(rows[i].type, run.r, &run.e, FAIL_VALUE_INVALID, rows[i].words);
		bytes_free(&plain);
		bytes_free(&stored);
		stop(&run);
	}
}

/* A foreign layer is read where it is there, and named where not. */
static void test_foreign_layers(void **state)
{
	static const char *const types[] = {
		OCI "layer.nondistributable.v1.tar",
		"application/vnd.docker.image.rootfs.foreign.diff.tar",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct bytes plain = { .size = 0 };
		struct run run;

		start(&run);
		make_layer(&plain, "file");
		put_layout(&run.temp, types[i], &plain, &plain, false);
		convert(&run, run.temp.path);
		expect_failure(types[i], run.r, &run.e, FAIL_VALUE_INVALID,
			       "a foreign layer that is not in the layout");
		put_layout(&run.temp, types[i], &plain, &plain, true);
		convert(&run, run.temp.path);
		expect_success(types[i], run.r, &run.e);
		bytes_free(&plain);
		stop(&run);
	}
}

/* --- docker archives ------------------------------------------------------------------- */

#define CONFIG_FILE "@config@"

/*
 * An archive with two plain layers, one of them stored twice and once as a link,
 * as Docker does. list is manifest.json with CONFIG_FILE for the configuration's name.
 */
static void put_archive(const struct run *run, const char *list, const struct member *more)
{
	struct bytes lower = { .size = 0 }, upper = { .size = 0 }, tar = { .size = 0 };
	char ids[2][DIGEST_TEXT_SIZE], name[DIGEST_TEXT_SIZE], *config, *config_file, *manifest;
	const char *at;

	make_layer(&lower, "lower");
	make_layer(&upper, "upper");
	digest_of(lower.at, lower.size, ids[0]);
	digest_of(upper.at, upper.size, ids[1]);
	config = text("{\"os\":\"linux\",\"architecture\":\"amd64\",\"rootfs\":{\"diff_ids\":"
		      "[\"%s\",\"%s\"]}}",
		      ids[0], ids[1]);
	digest_of(config, strlen(config), name);
	config_file = text("%s.json", strchr(name, ':') + 1);
	manifest = calloc(1, strlen(list) + strlen(config_file));
	at = strstr(list, CONFIG_FILE);
	sprintf(manifest, "%.*s%s%s", (int)(at ? at - list : 0), list, at ? config_file : "",
		at ? at + strlen(CONFIG_FILE) : list);
	tar_add(&tar, (const struct member[]){
			      { "manifest.json", '0', .data = manifest },
			      { config_file, '0', .data = config },
			      { "a/layer.tar", '2', .link = "../b/layer.tar" },
			      { "b/layer.tar", '0', .data = (const char *)lower.at,
				.data_size = lower.size },
			      { "c/layer.tar", '0', .data = (const char *)upper.at,
				.data_size = upper.size },
			      { .name = NULL },
		      });
	if (more)
		tar_add(&tar, more);
	tar_end(&tar, 2);
	put_bytes(run->temp.fd, "archive", tar.at, tar.size);
	free(config);
	free(config_file);
	free(manifest);
	bytes_free(&lower);
	bytes_free(&upper);
	bytes_free(&tar);
}

#define LAYERS  "\"Layers\":[\"a/layer.tar\",\"./c/layer.tar\"]"
#define LIST(x) "[{\"Config\":\"" CONFIG_FILE "\"," x "}]"

static void test_docker_archive(void **state)
{
	static const struct member two_lists[] = {
		{ "./manifest.json", '0', .data = "[]" },
		{ .name = NULL },
	};
	static const struct member round[] = {
		{ "x", '2', .link = "y" },
		{ "y", '2', .link = "x" },
		{ "out", '2', .link = "../../etc/passwd" },
		{ .name = NULL },
	};
	static const struct {
		const char *label, *list, *ref, *platform, *words;
		const struct member *more;
	} rows[] = {
		{ "plain", LIST(LAYERS), NULL, NULL, NULL, NULL },
		{ "tags", LIST("\"RepoTags\":null," LAYERS), NULL, NULL, NULL, NULL },
		{ "by its tag", LIST("\"RepoTags\":[\"a:1\",\"b:2\"]," LAYERS), "b:2", NULL, NULL,
		  NULL },
		{ "another tag", LIST("\"RepoTags\":[\"a:1\"]," LAYERS), "b:2", NULL,
		  "no image of 1 has the name \"b:2\"", NULL },
		{ "its platform", LIST(LAYERS), NULL, "linux/amd64", NULL, NULL },
		{ "another platform", LIST(LAYERS), NULL, "linux/arm64",
		  "the image is for linux/amd64, not for platform linux/arm64", NULL },
		{ "nothing", "[]", NULL, NULL, "no image in manifest.json", NULL },
		{ "no list", "{}", NULL, NULL, "manifest.json is not a JSON array", NULL },
		{ "two lists", LIST(LAYERS), NULL, NULL, "two members of the name manifest.json",
		  two_lists },
		{ "no configuration", "[{" LAYERS "}]", NULL, NULL,
		  "\"Config\" of manifest.json is not the name of a file", NULL },
		{ "up", "[{\"Config\":\"../" CONFIG_FILE "\"," LAYERS "}]", NULL, NULL, "..",
		  NULL },
		{ "one layer", LIST("\"Layers\":[\"a/layer.tar\"]"), NULL, NULL,
		  "1 layers, but 2 diff_ids", NULL },
		{ "absent", LIST("\"Layers\":[\"a/layer.tar\",\"d/layer.tar\"]"), NULL, NULL,
		  "layer 1: it has no file d/layer.tar", NULL },
		{ "a number", LIST("\"Layers\":[7,\"a/layer.tar\"]"), NULL, NULL,
		  "layer 0: its entry in manifest.json is not the name of a file", NULL },
		{ "another layer", LIST("\"Layers\":[\"a/layer.tar\",\"b/layer.tar\"]"), NULL, NULL,
		  "it was altered or damaged", NULL },
		{ "a circle", LIST("\"Layers\":[\"x\",\"c/layer.tar\"]"), NULL, NULL,
		  "more than 8 links", round },
		{ "a link out", LIST("\"Layers\":[\"out\",\"c/layer.tar\"]"), NULL, NULL,
		  "leads out of the archive", round },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct run run;
		char *path;

		start(&run);
		put_archive(&run, rows[i].list, rows[i].more);
		path = text("%s/archive", run.temp.path);
		run.options.ref = rows[i].ref;
		run.options.platform = rows[i].platform;
		convert(&run, path);
		if (rows[i].words) {
			expect_failure(rows[i].label, run.r, &run.e, FAIL_VALUE_INVALID,
				       rows[i].words);
		} else {
			expect_success(rows[i].label, run.r, &run.e);
			assert_int_equal(run.image->layer_count, 2);
			assert_int_equal(run.image->manifest.size, 0);
			assert_int_equal(run.image->config.size, SHA256_SIZE);
		}
		free(path);
		stop(&run);
	}
}

/* Two images: the configuration's platform, or the tag, says which. */
static void test_two_images(void **state)
{
	static const char list[] =
		"[{\"Config\":\"" CONFIG_FILE "\",\"RepoTags\":[\"a:1\"]," LAYERS "},"
		"{\"Config\":\"arm\",\"RepoTags\":[\"b:1\"]," LAYERS "}]";
	static const struct member arm[] = {
		{ "arm", '0',
		  .data = "{\"os\":\"linux\",\"architecture\":\"arm64\",\"rootfs\":{\"diff_ids\":[]"
			  "}}" },
		{ .name = NULL },
	};
	struct run run;
	char *path;

	(void)state;
	start(&run);
	put_archive(&run, list, arm);
	path = text("%s/archive", run.temp.path);
	run.options.platform = "linux/amd64";
	convert(&run, path);
	expect_success("amd64", run.r, &run.e);
	assert_string_equal(run.image->ref, "a:1");
	run.options.platform = "linux/arm64";
	convert(&run, path);
	expect_failure("arm64", run.r, &run.e, FAIL_VALUE_INVALID, "2 layers, but 0 diff_ids");
	run.options.platform = "linux/s390x";
	convert(&run, path);
	expect_failure("s390x", run.r, &run.e, FAIL_VALUE_INVALID,
		       "no image for platform linux/s390x");
	free(path);
	stop(&run);
}

/* An archive that is packed as a whole is told from a damaged one. */
static void test_packed_archive(void **state)
{
	struct bytes plain = { .size = 0 }, packed = { .size = 0 };
	struct run run;
	char *path;

	(void)state;
	start(&run);
	make_layer(&plain, "index.json");
	add_gzip(&packed, &plain);
	put_bytes(run.temp.fd, "archive", packed.at, packed.size);
	path = text("%s/archive", run.temp.path);
	convert(&run, path);
	expect_failure("gzip", run.r, &run.e, FAIL_VALUE_INVALID, "it is packed with gzip");
	bytes_free(&plain);
	bytes_free(&packed);
	free(path);
	stop(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut_layers),     cmocka_unit_test(test_foreign_layers),
		cmocka_unit_test(test_docker_archive), cmocka_unit_test(test_two_images),
		cmocka_unit_test(test_packed_archive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
