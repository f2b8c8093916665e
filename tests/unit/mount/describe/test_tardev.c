// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/mount/describe/forms.h"

#define OPT   "io.katacontainers.fs-opt."
#define WORDS ",ro," OPT "block_device=file," OPT "is-layer"

static struct stack stack;

/* Of bytes that the compiler joins; as long as the text of the next call. */
static const char *encode(const char *text, char *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t size = strlen(text), used = 0;

	for (size_t i = 0; i < size; i += 3) {
		size_t left = size - i;
		uint32_t bits = (uint32_t)(uint8_t)text[i] << 16;

		bits |= left > 1 ? (uint32_t)(uint8_t)text[i + 1] << 8 : 0;
		bits |= left > 2 ? (uint8_t)text[i + 2] : 0;
		out[used++] = digits[bits >> 18];
		out[used++] = digits[bits >> 12 & 63];
		out[used++] = left > 1 ? digits[bits >> 6 & 63] : '=';
		out[used++] = left > 2 ? digits[bits & 63] : '=';
	}
	out[used] = '\0';
	return out;
}

/* The mount of some layers; a word with a blank in front is an option as it is. */
static int take(const char *const layers[], const char *lower, const struct describe_given *given,
		struct err *e)
{
	static char text[65536];
	char base64[2048];
	size_t used = (size_t)snprintf(text, sizeof(text),
				       "[{\"type\":\"fuse3.kata-overlay\",\"source\":\"none\","
				       "\"target\":\"\",\"options\":[\"" OPT
				       "layer-src-prefix=/var/lib/tardev/layers\",");

	for (; *layers; layers++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "\"%s%s\",",
					 **layers == ' ' ? "" : OPT "layer=",
					 **layers == ' ' ? *layers + 1 : encode(*layers, base64));
	snprintf(text + used, sizeof(text) - used, "\"lowerdir=%s\"]}]", lower);
	return read_form(&form_containerd, text, given, &stack, e);
}

#define TWO "two,erofs" WORDS "," OPT "root-hash=" HASH("2")
#define ONE "one,erofs" WORDS "," OPT "root-hash=" HASH("1")

static void test_layers(void **state)
{
	static const char *const layers[] = { TWO, ONE, NULL };
	static const char *const writable[] = { ONE, TWO, " " OPT "overlay-rw", NULL };
	struct err e = { 0 };

	(void)state;
	expect_success("view", take(layers, "two:one", NULL, &e), &e);
	assert_int_equal(stack.upper.kind, UPPER_NONE);
	/* lowerdir alone says the order. */
	expect_success("layers", take(writable, "two:one", NULL, &e), &e);
	assert_int_equal(stack.upper.kind, UPPER_TMPFS);
	assert_int_equal(stack.count, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct volume *v = &stack.volume[i];

		assert_int_equal(v->proof, VOLUME_SUPERBLOCK);
		assert_true(v->trailer);
		assert_false(v->tree_follows_data);
		assert_string_equal(v->fstype, "erofs");
		assert_int_equal(v->verity.root_hash_size, 32);
		assert_int_equal(v->verity.root_hash[0], i ? 0x11 : 0x22);
		expect_success("finished", volume_finish(&stack.volume[i], &e), &e);
	}
}

/* A layer without a root hash is for describe() to refuse; its sidecar may prove it. */
static void test_without(void **state)
{
	static const char *const layers[] = { TWO, "one,erofs" WORDS, NULL };
	struct describe_given given = { 0 };
	struct err e = { 0 };

	(void)state;
	expect_success("none", take(layers, "two:one", NULL, &e), &e);
	assert_int_equal(stack.volume[1].proof, VOLUME_RAW);
	given.volume[1].sidecar = "{\"roothash\":\"" HASH("5") "\",\"hashoffset\":4096}";
	expect_success("sidecar", take(layers, "two:one", &given, &e), &e);
	assert_int_equal(stack.volume[1].proof, VOLUME_SUPERBLOCK);
	assert_false(stack.volume[1].trailer);
	given.volume[0].sidecar = given.volume[1].sidecar;
	expect_failure("both", take(layers, "two:one", &given, &e), &e, FAIL_DESCRIPTION_INVALID,
		       "volume-0");
}

static void test_refused(void **state)
{
	static const struct {
		const char *layers[4], *lower, *words;
		enum fail_code code;
	} rows[] = {
		{ { TWO, ONE }, "two", "each layer once", FAIL_DESCRIPTION_INVALID },
		{ { TWO, ONE }, "two:two", "each layer once", FAIL_DESCRIPTION_INVALID },
		{ { TWO, ONE }, "two:one:two", "each layer once", FAIL_DESCRIPTION_INVALID },
		{ { TWO, ONE }, "two::one", "each layer once", FAIL_DESCRIPTION_INVALID },
		{ { TWO, ONE }, "two:one:", "each layer once", FAIL_DESCRIPTION_INVALID },
		{ { TWO, ONE }, "", "each layer once", FAIL_DESCRIPTION_INVALID },
		{ { TWO, ONE },
		  "two:on",
		  "lowerdir has on, and the mount 0",
		  FAIL_DESCRIPTION_INVALID },
		{ { TWO, TWO }, "two:one", "the mount 2 such layers", FAIL_DESCRIPTION_INVALID },
		{ { " lowerdir=x", TWO }, "two", "twice", FAIL_KEY_REPEATED },
		{ { " upperdir=/x", TWO }, "two", "upperdir=/x", FAIL_DESCRIPTION_INVALID },
		{ { " " OPT "overlay-rw" }, "two", "no volume in it", FAIL_DESCRIPTION_INVALID },
		{ { " " OPT "layer=*" }, "two", "not base64", FAIL_DESCRIPTION_INVALID },
		{ { " " OPT "layer=" }, "two", "not base64", FAIL_DESCRIPTION_INVALID },
		{ { "two" }, "two", "no name and file system", FAIL_DESCRIPTION_INVALID },
		{ { ",erofs" }, "two", "no name and file system", FAIL_DESCRIPTION_INVALID },
		{ { "two,tar" WORDS "," OPT "root-hash=" HASH("2") },
		  "two",
		  "Microsoft's module",
		  FAIL_DESCRIPTION_UNSUPPORTED },
		{ { "two,ext4" WORDS }, "two", "not erofs", FAIL_DESCRIPTION_INVALID },
		{ { TWO "," OPT "root-hash=" HASH("3") }, "two", "twice", FAIL_KEY_REPEATED },
		{ { "two,erofs,rw" }, "two", "\"rw\"", FAIL_DESCRIPTION_INVALID },
		{ { "two,erofs,device=/dev/vdb" }, "two", "device=", FAIL_DESCRIPTION_INVALID },
		{ { "two,erofs\n" }, "two", "not printable", FAIL_DESCRIPTION_INVALID },
		{ { "two,erofs," OPT "root-hash=" }, "two", "", FAIL_ROOT_HASH_MISSING },
		{ { "two,erofs," OPT "root-hash=22" }, "two", "", FAIL_NONE },
		{ { "two,erofs," OPT "root-hash=x" }, "two", "", FAIL_ROOT_HASH_INVALID },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err e = { 0 };
		int r = take(rows[i].layers, rows[i].lower, NULL, &e);

		if (rows[i].code) {
			expect_failure(rows[i].words, r, &e, rows[i].code, rows[i].words);
			continue;
		}
		/* As any root hash whose hash is not known yet. */
		expect_success("short", r, &e);
		expect_failure("short", volume_finish(&stack.volume[0], &e), &e,
			       FAIL_ROOT_HASH_INVALID, "1 bytes");
	}
}

static void test_limit(void **state)
{
	static char names[LAYERS_MAX + 1][160], lower[LAYERS_MAX * 5 + 6];
	const char *layers[LAYERS_MAX + 2] = { NULL };
	struct err e = { 0 };

	(void)state;
	for (size_t i = 0; i <= LAYERS_MAX; i++) {
		snprintf(names[i], sizeof(names[i]), "l%zu,erofs," OPT "root-hash=" HASH("1"), i);
		snprintf(lower + strlen(lower), sizeof(lower) - strlen(lower), "%sl%zu",
			 i ? ":" : "", i);
		layers[i] = names[i];
		if (i == LAYERS_MAX - 1)
			expect_success("127", take(layers, lower, NULL, &e), &e);
	}
	expect_failure("128", take(layers, lower, NULL, &e), &e, FAIL_LIMIT_EXCEEDED, "127");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layers),
		cmocka_unit_test(test_without),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
