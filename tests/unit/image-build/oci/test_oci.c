// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image-build/oci/media_type.h"
#include "image-build/oci/oci.h"

#define MANIFEST_TYPE "application/vnd.oci.image.manifest.v1+json"
#define INDEX_TYPE    "application/vnd.oci.image.index.v1+json"
#define LAYER_TYPE    "application/vnd.oci.image.layer.v1.tar+gzip"
#define ZEROES        "0000000000000000000000000000000000000000000000000000000000000000"
#define LAYER         "{\"mediaType\":\"" LAYER_TYPE "\",\"digest\":\"sha256:" ZEROES "\",\"size\":5}"
#define DIFF_ID       "\"sha256:" ZEROES "\""

__attribute__((format(printf, 1, 2))) static char *text(const char *fmt, ...)
{
	char *out = NULL;
	va_list args;

	va_start(args, fmt);
	assert_true(vasprintf(&out, fmt, args) >= 0);
	va_end(args);
	return out;
}

/* Store a document; its descriptor, with more members behind the usual ones. Allocated. */
static char *put_blob(const struct temp *t, const char *type, const char *document,
		      const char *more)
{
	char name[DIGEST_TEXT_SIZE], path[DIGEST_TEXT_SIZE + 16];
	struct digest d;
	struct hasher h;

	hasher_start(&h, "sha256");
	hasher_add(&h, document, strlen(document));
	hasher_finish(&h, &d);
	hasher_stop(&h);
	digest_text(&d, name);
	snprintf(path, sizeof(path), "blobs/%s", name);
	*strchr(path, ':') = '/';
	put_text(t->fd, path, document);
	return text("{\"mediaType\":\"%s\",\"digest\":\"%s\",\"size\":%zu%s}", type, name,
		    strlen(document), more);
}

/* An image whose manifest has these layers and whose configuration has these diff_ids. */
static char *put_image_for(const struct temp *t, const char *arch, const char *layers,
			   const char *ids, const char *more)
{
	char *config = text("{\"os\":\"linux\",\"architecture\":\"%s\","
			    "\"rootfs\":{\"type\":\"layers\",\"diff_ids\":[%s]}}",
			    arch, ids);
	char *descriptor = put_blob(t, "application/vnd.oci.image.config.v1+json", config, "");
	char *manifest = text("{\"config\":%s,\"layers\":[%s]}", descriptor, layers);
	char *out = put_blob(t, MANIFEST_TYPE, manifest, more);

	free(config);
	free(descriptor);
	free(manifest);
	return out;
}

static char *put_image(const struct temp *t, const char *layers, const char *ids, const char *more)
{
	return put_image_for(t, "amd64", layers, ids, more);
}

static int load(const struct temp *t, const char *ref, const char *platform,
		struct oci_image *image, struct err *e)
{
	struct oci_source s;
	int r = oci_source_open(&s, t->path, t->path, e);

	assert_int_equal(r, 0);
	r = oci_load(&s, ref, platform, image, e);
	oci_source_close(&s);
	return r;
}

static int load_index(const struct temp *t, const char *manifests, const char *ref,
		      const char *platform, struct oci_image *image, struct err *e)
{
	char *index = text("{\"manifests\":[%s]}", manifests);

	put_text(t->fd, "index.json", index);
	free(index);
	return load(t, ref, platform, image, e);
}

/* What stands in manifest and configuration, and the refusal that it gets. */
static const struct {
	const char *label, *layers, *ids, *words;
} images[] = {
	{ "one layer", LAYER, DIFF_ID, NULL },
	{ "two", LAYER "," LAYER, DIFF_ID "," DIFF_ID, NULL },
	{ "none", "", "", "without layers" },
	{ "more layers than ids", LAYER "," LAYER, DIFF_ID, "2 layers, but 1" },
	{ "more ids than layers", LAYER, DIFF_ID "," DIFF_ID, "1 layers, but 2" },
	{ "an id that is a number", LAYER, "7", "not a string" },
	{ "an id of another algorithm", LAYER, "\"md5:00\"", "neither" },
	{ "a short digest",
	  "{\"mediaType\":\"" LAYER_TYPE "\",\"digest\":\"sha256:00\",\"size\":5}", DIFF_ID, "64" },
	{ "a digest that is a path",
	  "{\"mediaType\":\"" LAYER_TYPE "\",\"digest\":\"sha256:../../x\",\"size\":5}", DIFF_ID,
	  "64" },
	{ "no size", "{\"mediaType\":\"" LAYER_TYPE "\",\"digest\":\"sha256:" ZEROES "\"}", DIFF_ID,
	  "size" },
	{ "a negative size",
	  "{\"mediaType\":\"" LAYER_TYPE "\",\"digest\":\"sha256:" ZEROES "\",\"size\":-5}",
	  DIFF_ID, "size" },
	{ "no object", "7", DIFF_ID, "size" },
	{ "no media type", "{\"digest\":\"sha256:" ZEROES "\",\"size\":5}", DIFF_ID,
	  "not a known kind of layer" },
};

static void test_images(void **state)
{
	struct oci_image *image = calloc(1, sizeof(*image));

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(images); i++) {
		struct err e = { .text = "" };
		struct temp t;
		char *descriptor;
		int r;

		temp_make(&t);
		descriptor = put_image(&t, images[i].layers, images[i].ids, "");
		r = load_index(&t, descriptor, NULL, "linux/amd64", image, &e);
		if (images[i].words)
			expect_failure(images[i].label, r, &e, FAIL_VALUE_INVALID, images[i].words);
		else
			expect_success(images[i].label, r, &e);
		free(descriptor);
		temp_remove(&t);
	}
	free(image);
}

/* The limit on layers, and one more. */
static void test_layer_limit(void **state)
{
	struct oci_image *image = calloc(1, sizeof(*image));
	struct temp t;

	(void)state;
	temp_make(&t);
	for (size_t count = LAYERS_MAX; count <= LAYERS_MAX + 1; count++) {
		char *layers = calloc(count, sizeof(LAYER)), *ids = calloc(count, sizeof(DIFF_ID));
		struct err e = { .text = "" };
		char *descriptor;
		int r;

		for (size_t i = 0; i < count; i++) {
			sprintf(layers + strlen(layers), "%s%s", i ? "," : "", LAYER);
			sprintf(ids + strlen(ids), "%s%s", i ? "," : "", DIFF_ID);
		}
		descriptor = put_image(&t, layers, ids, "");
		r = load_index(&t, descriptor, NULL, "linux/amd64", image, &e);
		if (count == LAYERS_MAX)
			expect_success("limit", r, &e);
		else
			expect_failure("limit + 1", r, &e, FAIL_LIMIT_EXCEEDED, "128 layers");
		free(descriptor);
		free(layers);
		free(ids);
	}
	temp_remove(&t);
	free(image);
}

#define REF(name)      ",\"annotations\":{\"org.opencontainers.image.ref.name\":\"" name "\"}"
#define PLATFORM(arch) ",\"platform\":{\"os\":\"linux\",\"architecture\":\"" arch "\"}"

/* Which of several images is taken, told by the number of its layers. */
static void test_choice(void **state)
{
	struct oci_image *image = calloc(1, sizeof(*image));
	struct temp t;
	char *one, *two, *inner, *nested, *both, *arm, *amd;
	struct err e = { .text = "" };

	(void)state;
	temp_make(&t);
	one = put_image(&t, LAYER, DIFF_ID, REF("one"));
	two = put_image(&t, LAYER "," LAYER, DIFF_ID "," DIFF_ID, REF("two"));
	both = text("%s,%s", one, two);
	expect_failure("both", load_index(&t, both, NULL, "linux/amd64", image, &e), &e,
		       FAIL_VALUE_INVALID, "one [linux/amd64], two [linux/amd64]");
	expect_success("two", load_index(&t, both, "two", "linux/amd64", image, &e), &e);
	assert_int_equal(image->layer_count, 2);
	assert_string_equal(image->ref, "two");
	expect_failure("three", load_index(&t, both, "three", "linux/amd64", image, &e), &e,
		       FAIL_VALUE_INVALID, "\"three\"");
	expect_success("its own", load_index(&t, one, NULL, "linux/amd64", image, &e), &e);
	expect_success("a lone one", load_index(&t, one, NULL, NULL, image, &e), &e);
	expect_failure("configuration", load_index(&t, one, NULL, "linux/s390x", image, &e), &e,
		       FAIL_VALUE_INVALID, "is for linux/amd64, not for platform linux/s390x");
	amd = put_image(&t, LAYER, DIFF_ID, PLATFORM("amd64"));
	arm = put_image(&t, LAYER "," LAYER, DIFF_ID "," DIFF_ID, PLATFORM("arm64"));
	free(both);
	both = text("%s,%s", amd, arm);
	inner = text("{\"manifests\":[%s]}", both);
	nested = put_blob(&t, INDEX_TYPE, inner, REF("multi"));
	expect_success("arm", load_index(&t, nested, NULL, "linux/arm64", image, &e), &e);
	assert_int_equal(image->layer_count, 2);
	assert_string_equal(image->ref, "multi");
	expect_success("amd", load_index(&t, nested, "multi", "linux/amd64", image, &e), &e);
	assert_int_equal(image->layer_count, 1);
	expect_failure("s390x", load_index(&t, nested, NULL, "linux/s390x", image, &e), &e,
		       FAIL_VALUE_INVALID, "linux/s390x");
	expect_failure("nothing", load_index(&t, "", NULL, "linux/amd64", image, &e), &e,
		       FAIL_VALUE_INVALID, "without images");
	free(one);
	free(two);
	free(both);
	free(amd);
	free(arm);
	free(inner);
	free(nested);
	temp_remove(&t);
	free(image);
}

/* Descriptors that state no platform: the images' configurations do. */
static void test_platform_of_configuration(void **state)
{
	struct oci_image *image = calloc(1, sizeof(*image));
	struct err e = { .text = "" };
	struct temp t;
	char *amd, *arm, *absent, *both, *three;

	(void)state;
	temp_make(&t);
	amd = put_image_for(&t, "amd64", LAYER, DIFF_ID, "");
	arm = put_image_for(&t, "arm64", LAYER "," LAYER, DIFF_ID "," DIFF_ID, "");
	absent = text("{\"mediaType\":\"" MANIFEST_TYPE "\",\"digest\":\"sha256:" ZEROES
		      "\",\"size\":5}");
	both = text("%s,%s", amd, arm);
	three = text("%s,%s,%s", absent, amd, arm);
	expect_success("arm", load_index(&t, both, NULL, "linux/arm64", image, &e), &e);
	assert_int_equal(image->layer_count, 2);
	expect_success("amd", load_index(&t, both, NULL, "linux/amd64", image, &e), &e);
	assert_int_equal(image->layer_count, 1);
	expect_failure("none", load_index(&t, both, NULL, "linux/s390x", image, &e), &e,
		       FAIL_VALUE_INVALID, "no image for platform linux/s390x");
	/* A layout need not hold what is for others. */
	expect_success("sparse", load_index(&t, three, NULL, "linux/arm64", image, &e), &e);
	assert_int_equal(image->layer_count, 2);
	free(amd);
	free(arm);
	free(absent);
	free(both);
	free(three);
	temp_remove(&t);
	free(image);
}

/* A document that is not what its descriptor says, or not one at all. */
static void test_documents(void **state)
{
	struct oci_image *image = calloc(1, sizeof(*image));
	struct err e = { .text = "" };
	char path[DIGEST_TEXT_SIZE + 16], *descriptor, *digest, *changed;
	struct temp t;

	(void)state;
	temp_make(&t);
	descriptor = put_image(&t, LAYER, DIFF_ID, "");
	digest = strstr(descriptor, "sha256:") + 7;
	snprintf(path, sizeof(path), "blobs/sha256/%.64s", digest);
	put_text(t.fd, path, "{\"config\":{}}");
	expect_failure("size", load_index(&t, descriptor, NULL, "linux/amd64", image, &e), &e,
		       FAIL_VALUE_INVALID, "its descriptor says");
	put_text(t.fd, path, "");
	expect_failure("empty", load_index(&t, descriptor, NULL, "linux/amd64", image, &e), &e,
		       FAIL_VALUE_INVALID, "0 bytes");
	changed = put_blob(&t, MANIFEST_TYPE, "[]", "");
	expect_failure("array", load_index(&t, changed, NULL, "linux/amd64", image, &e), &e,
		       FAIL_VALUE_INVALID, "JSON object");
	free(changed);
	changed = put_blob(&t, MANIFEST_TYPE, "{\"layers\":[]}", "");
	expect_failure("no config", load_index(&t, changed, NULL, "linux/amd64", image, &e), &e,
		       FAIL_VALUE_INVALID, "configuration");
	free(changed);
	changed = put_blob(&t, "application/json", "{}", "");
	expect_failure("type", load_index(&t, changed, NULL, "linux/amd64", image, &e), &e,
		       FAIL_VALUE_INVALID, "application/json");
	free(changed);
	put_text(t.fd, "index.json", "{");
	expect_failure("half", load(&t, NULL, "linux/amd64", image, &e), &e, FAIL_VALUE_INVALID,
		       "JSON");
	free(descriptor);
	temp_remove(&t);
	free(image);
}

/* The same size, one letter changed: the digest tells. */
static void test_altered_document(void **state)
{
	struct oci_image *image = calloc(1, sizeof(*image));
	struct err e = { .text = "" };
	char path[DIGEST_TEXT_SIZE + 16], *descriptor;
	struct temp t;

	(void)state;
	temp_make(&t);
	descriptor = put_blob(&t, MANIFEST_TYPE, "{\"config\":1}", "");
	snprintf(path, sizeof(path), "blobs/sha256/%.64s", strstr(descriptor, "sha256:") + 7);
	put_text(t.fd, path, "{\"config\":2}");
	expect_failure("altered", load_index(&t, descriptor, NULL, "linux/amd64", image, &e), &e,
		       FAIL_VALUE_INVALID, "digest");
	free(descriptor);
	temp_remove(&t);
	free(image);
}

static void test_media_types(void **state)
{
	static const struct {
		const char *type;
		enum compression compression;
		const char *words;
	} types[] = {
		{ "application/vnd.oci.image.layer.v1.tar", COMPRESSION_NONE, NULL },
		{ "application/vnd.oci.image.layer.v1.tar+gzip", COMPRESSION_GZIP, NULL },
		{ "application/vnd.oci.image.layer.v1.tar+zstd", COMPRESSION_ZSTD, NULL },
		{ "application/vnd.docker.image.rootfs.diff.tar.gzip", COMPRESSION_GZIP, NULL },
		{ "application/vnd.oci.image.layer.v1.tar+gzip+encrypted", 0, "encrypted" },
		{ "application/vnd.oci.image.layer.nondistributable.v1.tar", COMPRESSION_NONE,
		  NULL },
		{ "application/vnd.oci.image.layer.nondistributable.v1.tar+gzip", COMPRESSION_GZIP,
		  NULL },
		{ "application/vnd.oci.image.layer.nondistributable.v1.tar+zstd", COMPRESSION_ZSTD,
		  NULL },
		{ "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip", COMPRESSION_GZIP,
		  NULL },
		{ "application/vnd.oci.image.layer.v1.tar+lz4", 0, "tar+lz4" },
		{ "application/vnd.erofs.layer.v1", 0, "erofs" },
		{ "", 0, "not a known kind of layer" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		enum compression c = COMPRESSION_NONE;
		struct err e = { .text = "" };
		int r = media_type_layer(types[i].type, &c, &e);

		if (types[i].words)
			expect_failure(types[i].type, r, &e, FAIL_VALUE_INVALID, types[i].words);
		else
			expect_success(types[i].type, r, &e);
		if (!types[i].words)
			assert_int_equal(c, types[i].compression);
	}
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		assert_int_equal(media_type_may_be_absent(types[i].type),
				 strstr(types[i].type, "foreign") ||
					 strstr(types[i].type, "nondistributable"));
	assert_true(media_type_is_index(INDEX_TYPE) && !media_type_is_index(MANIFEST_TYPE));
	assert_true(media_type_is_manifest(MANIFEST_TYPE) && !media_type_is_manifest(INDEX_TYPE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_images),
		cmocka_unit_test(test_layer_limit),
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_documents),
		cmocka_unit_test(test_platform_of_configuration),
		cmocka_unit_test(test_altered_document),
		cmocka_unit_test(test_media_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
