// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* The list of images: what is taken from it, and everything that is refused. */
#include "mount/serve/images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

#define HEX          "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define DIGEST       "\"digest\":\"sha256:" HEX "\""
#define LIST(images) "{\"version\":1,\"images\":[" images "]}"
#define IMAGE(more)  LIST("{\"reference\":\"a/b\"," DIGEST ",\"description\":{}" more "}")

static int add(struct images *images, const char *text, struct err *e)
{
	return images_add(images, text, strlen(text), e);
}

static void test_all_of_it(void **state)
{
	static const char text[] =
		LIST("{\"reference\":\"registry.example:5000/app@sha256:" HEX "\"," DIGEST ","
		     "\"form\":\"kata-volume\",\"description\":{\"volume_type\":\"x/"
		     "y\",\"n\":12345678901},"
		     "\"volumes\":[{\"number\":1,\"device\":\"SERIAL=a\",\"sidecar\":{\"roothash\":"
		     "\"ab\"},"
		     "\"allow_unverified\":true},{\"number\":0,\"sidecar\":\"text\"}],\"upper\":"
		     "\"tmpfs\"},"
		     "{\"reference\":\"b\"," DIGEST ",\"description\":\"SERIAL=x,root_hash=y\"}");
	struct images images = { 0 };
	const struct image *image;
	struct err e = { 0 };

	(void)state;
	expect_success("images", add(&images, text, &e), &e);
	assert_int_equal(images.count, 2);
	image = images_find(&images, "registry.example:5000/app@sha256:" HEX);
	assert_non_null(image);
	assert_string_equal(image->digest, "sha256:" HEX);
	assert_string_equal(image->form, "kata-volume");
	assert_string_equal(image->description, "{\"volume_type\":\"x/y\",\"n\":12345678901}");
	assert_int_equal(image->description_size, strlen(image->description));
	assert_string_equal(image->upper, "tmpfs");
	assert_int_equal(image->volume_count, 2);
	assert_int_equal(image->volumes[0].number, 1);
	assert_string_equal(image->volumes[0].device, "SERIAL=a");
	assert_string_equal(image->volumes[0].sidecar, "{\"roothash\":\"ab\"}");
	assert_int_equal(image->volumes[0].allow_unverified, 1);
	assert_int_equal(image->volumes[1].number, 0);
	assert_null(image->volumes[1].device);
	assert_string_equal(image->volumes[1].sidecar, "text");
	assert_int_equal(image->volumes[1].allow_unverified, 0);
	image = images_find(&images, "b");
	assert_string_equal(image->description, "SERIAL=x,root_hash=y");
	assert_null(image->form);
	assert_null(image->upper);
	assert_int_equal(image->volume_count, 0);
	/* Letter by letter. */
	assert_null(images_find(&images, "B"));
	assert_null(images_find(&images, "b "));
	assert_null(images_find(&images, ""));
	images_free(&images);
	assert_int_equal(images.count, 0);
}

static const struct {
	const char *text, *words;
	enum fail_code code;
} refused[] = {
	{ "", "the list of images", FAIL_DESCRIPTION_INVALID },
	{ "null", "not a JSON object", FAIL_DESCRIPTION_INVALID },
	{ "[]", "not a JSON object", FAIL_DESCRIPTION_INVALID },
	{ "{\"version\":1}", "\"images\" is missing", FAIL_DESCRIPTION_INVALID },
	{ "{\"version\":1,\"images\":{}}", "\"images\" is not", FAIL_DESCRIPTION_INVALID },
	{ "{\"images\":[]}", "\"version\" is missing", FAIL_DESCRIPTION_INVALID },
	{ "{\"version\":2,\"images\":[]}", "\"version\" is not 1", FAIL_DESCRIPTION_INVALID },
	{ "{\"version\":1,\"images\":[],\"image\":[]}", "image", FAIL_KEY_UNKNOWN },
	{ "{\"version\":1,\"images\":[],\"images\":[]}", "twice", FAIL_KEY_REPEATED },
	{ LIST("1"), "image 0", FAIL_DESCRIPTION_INVALID },
	{ LIST("{}"), "image 0: \"reference\" is missing", FAIL_DESCRIPTION_INVALID },
	{ LIST("{\"reference\":\"a\"," DIGEST "}"), "\"description\" is missing",
	  FAIL_DESCRIPTION_INVALID },
	{ LIST("{\"reference\":\"a\",\"description\":{}}"), "\"digest\" is missing",
	  FAIL_DESCRIPTION_INVALID },
	{ LIST("{\"reference\":\"\"," DIGEST ",\"description\":{}}"), "not an image's reference",
	  FAIL_DESCRIPTION_INVALID },
	{ LIST("{\"reference\":\"a b\"," DIGEST ",\"description\":{}}"), "not an image's reference",
	  FAIL_DESCRIPTION_INVALID },
	{ LIST("{\"reference\":\"a\\\"b\"," DIGEST ",\"description\":{}}"),
	  "not an image's reference", FAIL_DESCRIPTION_INVALID },
	{ LIST("{\"reference\":\"a\",\"digest\":\"" HEX "\",\"description\":{}}"),
	  "not the digest of a manifest", FAIL_DESCRIPTION_INVALID },
	{ LIST("{\"reference\":\"a\",\"digest\":\"sha384:" HEX "0123456789abcdef0123456789abcdef0"
	       "\",\"description\":{}}"),
	  "not the digest of a manifest", FAIL_DESCRIPTION_INVALID },
	{ LIST("{\"reference\":\"a\",\"digest\":\"sha256:" HEX "0\",\"description\":{}}"),
	  "not the digest of a manifest", FAIL_DESCRIPTION_INVALID },
	{ LIST("{\"reference\":\"a\",\"digest\":\"sha512:" HEX "\",\"description\":{}}"),
	  "not the digest of a manifest", FAIL_DESCRIPTION_INVALID },
	{ LIST("{\"reference\":\"a\",\"digest\":\"sha256:F123456789abcdef0123456789abcdef"
	       "0123456789abcdef0123456789abcdef\",\"description\":{}}"),
	  "not the digest of a manifest", FAIL_DESCRIPTION_INVALID },
	{ LIST("{\"reference\":\"a\"," DIGEST ",\"description\":1}"), "\"description\" is not JSON",
	  FAIL_DESCRIPTION_INVALID },
	{ LIST("{\"reference\":\"a\"," DIGEST ",\"description\":\"a\\u0000b\"}"),
	  "\"description\" has a NUL", FAIL_DESCRIPTION_INVALID },
	{ LIST("{\"reference\":\"a\"," DIGEST ",\"description\":{}},"
	       "{\"reference\":\"a\"," DIGEST ",\"description\":{}}"),
	  "image 1: \"a\" is specified twice", FAIL_KEY_REPEATED },
	{ IMAGE(",\"Upper\":\"tmpfs\""), "Upper", FAIL_KEY_UNKNOWN },
	{ IMAGE(",\"upper\":1"), "\"upper\" is not", FAIL_DESCRIPTION_INVALID },
	{ IMAGE(",\"volumes\":{}"), "\"volumes\" is not", FAIL_DESCRIPTION_INVALID },
	{ IMAGE(",\"volumes\":[0]"), "not", FAIL_DESCRIPTION_INVALID },
	{ IMAGE(",\"volumes\":[{}]"), "\"number\" is missing", FAIL_DESCRIPTION_INVALID },
	{ IMAGE(",\"volumes\":[{\"number\":384}]"), "\"number\" is not between",
	  FAIL_DESCRIPTION_INVALID },
	{ IMAGE(",\"volumes\":[{\"number\":0},{\"number\":0}]"), "volume 0 is specified twice",
	  FAIL_KEY_REPEATED },
	{ IMAGE(",\"volumes\":[{\"number\":0,\"unverified\":true}]"), "unverified",
	  FAIL_KEY_UNKNOWN },
	{ IMAGE(",\"volumes\":[{\"number\":0,\"allow_unverified\":1}]"), "allow_unverified",
	  FAIL_DESCRIPTION_INVALID },
	{ IMAGE(",\"volumes\":[{\"number\":0,\"sidecar\":true}]"), "\"sidecar\" is not JSON",
	  FAIL_DESCRIPTION_INVALID },
};

static void test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		struct images images = { 0 };
		struct err e = { 0 };

		expect_failure(refused[i].text, add(&images, refused[i].text, &e), &e,
			       refused[i].code, refused[i].words);
		images_free(&images);
	}
}

/* Two texts are one list: a reference of both is one too many. */
static void test_two_texts(void **state)
{
	struct images images = { 0 };
	struct err e = { 0 };

	(void)state;
	expect_success("first", add(&images, IMAGE(""), &e), &e);
	expect_failure("again", add(&images, IMAGE(""), &e), &e, FAIL_KEY_REPEATED, "\"a/b\"");
	expect_failure("a third", add(&images, LIST(""), &e), &e, FAIL_LIMIT_EXCEEDED,
		       "more than 2 texts");
	images_free(&images);
}

static void test_limits(void **state)
{
	char *text = malloc(IMAGES_MAX * 200), *at;
	struct err e = { 0 };

	(void)state;
	for (int extra = 0; extra < 2; extra++) {
		struct images images = { 0 };

		at = text + sprintf(text, "{\"version\":1,\"images\":[");
		for (int i = 0; i < IMAGES_MAX + extra; i++)
			at += sprintf(at, "%s{\"reference\":\"%d\"," DIGEST ",\"description\":{}}",
				      i ? "," : "", i);
		strcpy(at, "]}");
		if (extra)
			expect_failure("images", add(&images, text, &e), &e, FAIL_LIMIT_EXCEEDED,
				       "more than 512 images");
		else
			expect_success("images", add(&images, text, &e), &e);
		assert_int_equal(images.count, IMAGES_MAX);
		images_free(&images);
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_of_it),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_two_texts),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
