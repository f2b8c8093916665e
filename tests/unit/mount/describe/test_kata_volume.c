// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* nydus-snapshotter's volumes: the numbers as they are, and every other one refused. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hex.h"
#include "mount/describe/describe.h"
#include "mount/describe/kata_volume.h"
#include "tests/unit/mount/describe/forms.h"

#define VOLUME(type)                                                                               \
	"{\"volume_type\":\"" type "\",\"source\":\"/var/lib/x/cache/y.disk\",\"fs_type\":"        \
	"\"erofs\",\"options\":[\"ro\"],\"dm_verity\":{\"hashtype\":\"sha256\",\"hash\":\"" HASH(  \
		"5") "\",\"blocknum\":1044,\"blocksize\":512,\"hashsize\":4096,\"offset\":536576}" \
		     "}"
#define IMAGE VOLUME("image_raw_block")
#define LAYER VOLUME("layer_raw_block")

#define BARE(type)                                                                                 \
	"{\"volume_type\":\"" type                                                                 \
	"\",\"source\":\"/x/y.disk\",\"fs_type\":\"erofs\",\"options\":"                           \
	"[\"ro\"]}"

static struct stack stack;

static int read_volumes(const char *text, struct err *e)
{
	return read_form(&form_kata_volume, text, NULL, &stack, e);
}

/* 1044 blocks of 512 bytes end 2,048 bytes before the tree: the offset does not say how many. */
static void test_numbers(void **state)
{
	const struct volume *v = &stack.volume[0];
	struct err e = { 0 };

	(void)state;
	expect_success("image", read_volumes(IMAGE, &e), &e);
	assert_int_equal(stack.count, 1);
	assert_int_equal(v->proof, VOLUME_VERITY);
	assert_int_equal(v->data.kind, DEVREF_NONE);
	assert_string_equal(v->fstype, "erofs");
	assert_string_equal(v->options, "");
	assert_false(v->refuse_whiteouts);
	assert_string_equal(v->verity.hash_name, "sha256");
	assert_int_equal(v->verity.hash_type, 1);
	assert_int_equal(v->verity.data_blocks, 1044);
	assert_int_equal(v->verity.data_block_size, 512);
	assert_int_equal(v->verity.hash_block_size, 4096);
	assert_true(v->verity.hash_start_given);
	assert_int_equal(v->verity.hash_start_block, 131);
	assert_int_equal(v->verity.salt_size, 0);
	assert_int_equal(v->verity.root_hash_size, 32);
	assert_int_equal(v->verity.root_hash[31], 0x55);
}

/* One change of it, and what comes of that. */
static const struct {
	const char *what, *into;
	uint64_t hash_start;
	const char *hash;
	uint32_t format;
	uint16_t salt_size;
} changes[] = {
	{ "\"sha256\"", "\"SHA256\"", 131, "sha256", 1, 0 },
	{ "\"sha256\",\"hash\":\"", "\"Sha512\",\"hash\":\"" HASH("a"), 131, "sha512", 1, 0 },
	{ "536576}", "536576,\"no_superblock\":true}", 131, "sha256", 1, 0 },
	{ "536576}", "536576,\"no_superblock\":false}", 132, "sha256", 1, 0 },
	{ "536576}", "536576,\"no_superblock\":null}", 131, "sha256", 1, 0 },
	{ "4096,\"offset\":536576}", "512,\"offset\":534528,\"no_superblock\":false}", 1045,
	  "sha256", 1, 0 },
	{ "4096,\"offset\":536576}", "512,\"offset\":534528}", 1044, "sha256", 1, 0 },
	{ "536576}", "536576,\"salt\":\"00aaFF\",\"hash_type\":0}", 131, "sha256", 0, 3 },
	{ "536576}", "536576,\"salt\":null,\"hash_type\":1}", 131, "sha256", 1, 0 },
	/* what Kata's reader does not know, it ignores */
	{ "536576}", "536576,\"colour\":[1.5,{\"a\":-1}]},\"shape\":null", 131, "sha256", 1, 0 },
	{ "\"options\":[\"ro\"],", "", 131, "sha256", 1, 0 },
	{ "[\"ro\"]", "[\"ro\",\"ro\"]", 131, "sha256", 1, 0 },
	{ "[\"ro\"]", "null", 131, "sha256", 1, 0 },
};

static void test_changes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		const struct verity_params *p = &stack.volume[0].verity;
		struct err e = { 0 };

		expect_success(changes[i].into,
			       read_volumes(changed(IMAGE, changes[i].what, changes[i].into), &e),
			       &e);
		assert_int_equal(stack.volume[0].proof, VOLUME_VERITY);
		assert_int_equal(p->hash_start_block, changes[i].hash_start);
		assert_string_equal(p->hash_name, changes[i].hash);
		assert_int_equal(p->hash_type, changes[i].format);
		assert_int_equal(p->salt_size, changes[i].salt_size);
		assert_int_equal(p->data_blocks, 1044);
	}
}

static const struct {
	const char *what, *into;
	enum fail_code code;
	const char *words;
} refused[] = {
	/* every number is needed */
	{ "\"hashtype\":\"sha256\",", "", FAIL_VERITY_PARAMS_INVALID, "\"hashtype\" is missing" },
	{ "\"hash\":\"" HASH("5") "\",", "", FAIL_ROOT_HASH_MISSING, "\"hash\" is missing" },
	{ "\"" HASH("5") "\"", "\"\"", FAIL_ROOT_HASH_MISSING, "\"hash\": root_hash= is empty" },
	{ "\"" HASH("5") "\"", "null", FAIL_ROOT_HASH_MISSING, "\"hash\" is missing" },
	{ "\"blocknum\":1044,", "", FAIL_VERITY_PARAMS_INVALID, "\"blocknum\" is missing" },
	{ "\"blocksize\":512,", "", FAIL_VERITY_PARAMS_INVALID, "\"blocksize\" is missing" },
	{ "\"hashsize\":4096,", "", FAIL_VERITY_PARAMS_INVALID, "\"hashsize\" is missing" },
	{ ",\"offset\":536576", "", FAIL_VERITY_PARAMS_INVALID, "\"offset\" is missing" },
	{ "{\"hashtype\"", "{},\"x\":{\"hashtype\"", FAIL_VERITY_PARAMS_INVALID, "is missing" },
	{ "{\"hashtype\"", "[],\"x\":{\"hashtype\"", FAIL_DESCRIPTION_INVALID, "not an object" },
	/* the hash */
	{ "\"" HASH("5"), "\"5" HASH("5"), FAIL_ROOT_HASH_INVALID, "even number" },
	{ "\"" HASH("5"), "\"z5" HASH("5"), FAIL_ROOT_HASH_INVALID, "hexadecimal" },
	{ "\"" HASH("5"), "\" " HASH("5"), FAIL_ROOT_HASH_INVALID, "hexadecimal" },
	{ HASH("5") "\"", HASH("5") "\\n\"", FAIL_DESCRIPTION_INVALID, "control characters" },
	{ "\"sha256\"", "\"sha1\"", FAIL_VERITY_PARAMS_INVALID, "hash=sha1 is not one of" },
	{ "\"sha256\"", "\"md5\"", FAIL_VERITY_PARAMS_INVALID, "hash=md5 is not one of" },
	{ "\"sha256\"", "\"sha256 \"", FAIL_VERITY_PARAMS_INVALID, "is not one of" },
	{ "\"sha256\"", "256", FAIL_DESCRIPTION_INVALID, "\"hashtype\" is not a string" },
	/* numbers */
	{ "1044", "0", FAIL_VERITY_PARAMS_INVALID, "\"blocknum\": data_blocks=0" },
	{ "1044", "-1", FAIL_DESCRIPTION_INVALID, "\"blocknum\" is not between 0 and 4294967295" },
	{ "1044", "1044.0", FAIL_DESCRIPTION_INVALID, "\"blocknum\" is not a whole number" },
	{ "1044", "1e3", FAIL_DESCRIPTION_INVALID, "\"blocknum\" is not a whole number" },
	{ "1044", "\"1044\"", FAIL_DESCRIPTION_INVALID, "\"blocknum\" is not a whole number" },
	{ "1044", "4294967296", FAIL_DESCRIPTION_INVALID, "is not between 0 and 4294967295" },
	{ "1044", "18446744073709551616", FAIL_DESCRIPTION_INVALID, "64 bits" },
	{ ":512", ":768", FAIL_VERITY_PARAMS_INVALID, "\"blocksize\": data_block_size=768" },
	{ ":512", ":256", FAIL_VERITY_PARAMS_INVALID, "power of two from 512 to 524288" },
	{ ":512", ":1048576", FAIL_VERITY_PARAMS_INVALID, "power of two from 512 to 524288" },
	{ ":4096", ":0", FAIL_VERITY_PARAMS_INVALID, "\"hashsize\": hash_block_size=0" },
	{ ":4096", ":4097", FAIL_VERITY_PARAMS_INVALID, "\"hashsize\": hash_block_size=4097" },
	{ "536576", "537088", FAIL_VERITY_PARAMS_INVALID, "not a whole number of hash blocks" },
	{ "536576", "532480", FAIL_VERITY_PARAMS_INVALID, "\"offset\" 532480 is inside the data" },
	{ "536576", "18446744073709547520", FAIL_DESCRIPTION_INVALID, "\"offset\" is not between" },
	{ "536576}", "532480,\"no_superblock\":false}", FAIL_VERITY_PARAMS_INVALID, "inside" },
	{ "536576}", "536576,\"no_superblock\":0}", FAIL_DESCRIPTION_INVALID, "true or false" },
	{ "536576}", "536576,\"salt\":\"abc\"}", FAIL_VERITY_PARAMS_INVALID, "salt=" },
	{ "536576}", "536576,\"salt\":\"\"}", FAIL_VERITY_PARAMS_INVALID, "salt=" },
	{ "536576}",
	  "536576,\"salt\":\"" HASH("0") HASH("0") HASH("0") HASH("0") HASH("0") HASH("0") HASH("0")
		  HASH("0") "00\"}",
	  FAIL_VERITY_PARAMS_INVALID, "256 bytes" },
	{ "536576}",
	  "536576,\"salt\":\"" HASH("0") HASH("0") HASH("0") HASH("0") HASH("0") HASH("0") HASH("0")
		  HASH("0") HASH("0") HASH("0") "\"}",
	  FAIL_DESCRIPTION_INVALID, "640 characters" },
	{ "536576}", "536576,\"hash_type\":2}", FAIL_VERITY_PARAMS_INVALID, "format=2" },
	/* all else */
	{ "\"erofs\"", "\"erofs,device=/dev/vdb\"", FAIL_DESCRIPTION_INVALID,
	  "is not one of erofs" },
	{ "\"erofs\"", "\"rafsv6\"", FAIL_DESCRIPTION_INVALID, "is not one of erofs" },
	{ "\"fs_type\":\"erofs\",", "", FAIL_DESCRIPTION_INVALID, "\"fs_type\" is missing" },
	{ "[\"ro\"]", "[\"rw\"]", FAIL_DESCRIPTION_INVALID, "the mount option \"rw\" is not ro" },
	{ "[\"ro\"]", "[\"ro\",\"device=/dev/vdb\"]", FAIL_DESCRIPTION_INVALID, "device=/dev/vdb" },
	{ "[\"ro\"]", "[\"ro,acl\"]", FAIL_DESCRIPTION_INVALID, "is not ro" },
	{ "[\"ro\"]", "\"ro\"", FAIL_DESCRIPTION_INVALID, "\"options\" is not an array" },
	{ "[\"ro\"]", "[1]", FAIL_DESCRIPTION_INVALID, "is not a string" },
	{ "/var/", "../", FAIL_DESCRIPTION_INVALID, "is not an absolute path" },
	{ "/var/", "/var/../", FAIL_DESCRIPTION_INVALID, "is not an absolute path" },
	{ "\"source\":\"/var/lib/x/cache/y.disk\",", "", FAIL_DESCRIPTION_INVALID,
	  "\"source\" is missing" },
	{ "/y.disk", "/y\\u0000.disk", FAIL_DESCRIPTION_INVALID, "without control characters" },
	{ "/y.disk", "/y\\n.disk", FAIL_DESCRIPTION_INVALID, "without control characters" },
	{ "image_raw_block", "image_raw_blok", FAIL_DESCRIPTION_INVALID,
	  "\"image_raw_blok\" is un" },
	{ "image_raw_block", "IMAGE_RAW_BLOCK", FAIL_DESCRIPTION_INVALID, "is unknown" },
	{ "\"volume_type\":\"image_raw_block\",", "", FAIL_DESCRIPTION_INVALID, "is missing" },
	{ "image_raw_block", "direct_block", FAIL_DESCRIPTION_INVALID,
	  "direct_block has no dm_veri" },
	{ "image_raw_block", "image_guest_pull", FAIL_DESCRIPTION_INVALID, "has no dm_verity" },
	{ "image_raw_block", "image_nydus_block", FAIL_DESCRIPTION_UNSUPPORTED, "needs nydusd" },
	{ "image_raw_block", "layer_nydus_block", FAIL_DESCRIPTION_UNSUPPORTED, "needs nydusd" },
	{ "image_raw_block", "image_nydus_fs", FAIL_DESCRIPTION_UNSUPPORTED, "needs nydusd" },
	{ "image_raw_block", "layer_nydus_fs", FAIL_DESCRIPTION_UNSUPPORTED, "needs nydusd" },
};

static void test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		struct err e = { 0 };

		expect_failure(refused[i].into,
			       read_volumes(changed(IMAGE, refused[i].what, refused[i].into), &e),
			       &e, refused[i].code, refused[i].words);
	}
}

/* Topmost first, each with its own numbers; one without is no reason to give up its neighbours'. */
static void test_layers(void **state)
{
	struct err e = { 0 };

	(void)state;
	expect_success("three",
		       read_volumes("[" LAYER "," BARE("layer_raw_block") "," LAYER "]", &e), &e);
	assert_int_equal(stack.count, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(stack.volume[i].proof, i == 1 ? VOLUME_RAW : VOLUME_VERITY);
		assert_true(stack.volume[i].refuse_whiteouts);
	}
	expect_success("one", read_volumes(LAYER, &e), &e);
	assert_true(stack.volume[0].refuse_whiteouts);
	expect_success("lines", read_volumes(LAYER "\n" LAYER "\n", &e), &e);
	assert_int_equal(stack.count, 2);
	expect_success("direct_block", read_volumes(BARE("direct_block"), &e), &e);
	assert_int_equal(stack.volume[0].proof, VOLUME_RAW);
	assert_false(stack.volume[0].refuse_whiteouts);
}

static void test_company(void **state)
{
	static const char *const lists[] = {
		"[" IMAGE "," IMAGE "]",
		"[" IMAGE "," LAYER "]",
		"[" LAYER "," IMAGE "]",
		"[" LAYER "," BARE("direct_block") "]",
		"[" LAYER "," BARE("image_guest_pull") "]",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		struct err e = { 0 };

		expect_failure(lists[i], read_volumes(lists[i], &e), &e, FAIL_DESCRIPTION_INVALID,
			       "only layers come together");
	}
}

static void test_no_objects(void **state)
{
	static const char *const texts[] = {
		"[1]", "1", "\"a\"", "[[" IMAGE "]]", "[null]", "null"
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct err e = { 0 };

		expect_failure(texts[i], read_volumes(texts[i], &e), &e, FAIL_DESCRIPTION_INVALID,
			       "a volume is not an object");
	}
}

/* Which image it is the host says, and that is believed by nobody: only directories count. */
static void test_guest_pull(void **state)
{
	static struct describe_given given;
	static const char pull[] = "{\"volume_type\":\"image_guest_pull\",\"source\":\"dummy-image-"
				   "reference\",\"options\":[\"a.b/c=d\"],\"image_pull\":{"
				   "\"metadata\":{\"a.b/c\":\"d\"}}}";
	struct err e = { 0 };

	(void)state;
	memset(&given, 0, sizeof(given));
	expect_failure("none", read_form(&form_kata_volume, pull, &given, &stack, &e), &e,
		       FAIL_DESCRIPTION_INVALID, "the directories of its layers must be given");
	given.directories = 2;
	given.directory[0] = "/run/image/layers/1";
	given.directory[1] = "/run/image/layers/0";
	expect_success("two", read_form(&form_kata_volume, pull, &given, &stack, &e), &e);
	assert_int_equal(stack.count, 0);
	assert_int_equal(stack.directories, 2);
	assert_string_equal(stack.directory[1], "/run/image/layers/0");
	expect_failure("no image",
		       read_form(&form_kata_volume, changed(pull, "source", "sauce"), &given,
				 &stack, &e),
		       &e, FAIL_DESCRIPTION_INVALID, "\"source\" is missing");
	given.directory[1] = "layers/0";
	expect_failure("relative", read_form(&form_kata_volume, pull, &given, &stack, &e), &e,
		       FAIL_VALUE_INVALID, "layers/0\" is not an absolute path");
}

/* {"volume_type":"layer_raw_block","source":"/x","fs_type":"erofs"} */
#define LAYER64                                                                                    \
	"eyJ2b2x1bWVfdHlwZSI6ImxheWVyX3Jhd19ibG9jayIsInNvdXJjZSI6Ii94IiwiZnNfdHlwZSI6ImVyb2ZzIn0="

static void test_base64(void **state)
{
	static struct describe_given given;
	static char large[4 * KATA_VOLUME_SIZE / 3 + 16];
	struct err e = { 0 };

	(void)state;
	assert_true(kata_volume_is_base64(LAYER64));
	assert_true(kata_volume_is_base64("ewog"));
	assert_false(kata_volume_is_base64("e"));
	assert_false(kata_volume_is_base64("/dev/vda"));
	stack_init(&stack);
	expect_success("one", kata_volume_add(LAYER64, &given, &stack, &e), &e);
	expect_success("two", kata_volume_add(LAYER64, &given, &stack, &e), &e);
	assert_int_equal(stack.count, 2);
	stack_init(&stack);
	expect_success("lines",
		       kata_volume_add_lines("\n" LAYER64 "\n \r\n" LAYER64 "\n", &given, &stack,
					     &e),
		       &e);
	assert_int_equal(stack.count, 2);
	expect_failure("a blank", kata_volume_add(" " LAYER64, &given, &stack, &e), &e,
		       FAIL_DESCRIPTION_INVALID, "neither JSON nor JSON in base64");
	expect_failure("no padding",
		       kata_volume_add("eyJ2b2x1bWVfdHlwZSI6ImxheWVy=", &given, &stack, &e), &e,
		       FAIL_DESCRIPTION_INVALID, "neither JSON nor JSON in base64");
	expect_failure("no JSON", kata_volume_add("YWJj", &given, &stack, &e), &e,
		       FAIL_DESCRIPTION_INVALID, "not a value, at byte 0");
	expect_failure("nothing", kata_volume_add("", &given, &stack, &e), &e,
		       FAIL_DESCRIPTION_INVALID, "no end");
	memset(large, 'A', sizeof(large) - 1);
	large[sizeof(large) - 1 - (sizeof(large) - 1) % 4] = '\0';
	expect_failure("large", kata_volume_add(large, &given, &stack, &e), &e, FAIL_LIMIT_EXCEEDED,
		       "more than 32768 bytes");
}

/* The producer's own, and what it was told of them (MANIFEST.md). */
static const struct {
	const char *file;
	uint64_t data_blocks, hash_start; /* 0: no verity */
	const char *root_hash;
} fixtures[] = {
	{ "nydus/image_block_with_verity/volume-1.json", 5220, 653,
	  "63e308011ce8b260833b4d6ee202741716a97ccecaa8a5ad6cfa704e4ddc2223" },
	{ "nydus/image_block/volume-1.json", 0, 0, NULL },
	{ "nydus/layer_block_with_verity/volume-1.json", 1084, 136,
	  "0f23cebbf5a6331503b6b2f9495bc45d0342b3d97cfc91b7f4a83d0bc316858a" },
	{ "nydus/layer_block_with_verity/volume-2.json", 1124, 141,
	  "d6257087e0b207a87cc17eb6be6bb6a31fc3d9a00ab02acc3b666fe16eb53e03" },
	{ "nydus/layer_block_with_verity/volume-3.json", 3524, 441,
	  "85d6531e5999639ff03368dd039e80a1f1f9f8d032e726fa0f0d5a953c029e64" },
	{ "nydus/layer_block/volume-1.json", 0, 0, NULL },
	{ "nydus/mixed/volume-1.json", 1044, 131,
	  "3c3e8c0acfbeb1635d64a90f7eb1e033ce13b300e0cb974f060ee9fd1f05c871" },
	{ "nydus/mixed/volume-2.json", 0, 0, NULL },
};

static void test_fixtures(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(fixtures); i++) {
		const struct volume *v = &stack.volume[0];
		char *text = read_fixture(fixtures[i].file), hex[2 * VERITY_DIGEST_MAX + 1];
		struct err e = { 0 };

		if (!text)
			skip();
		expect_success(fixtures[i].file, read_volumes(text, &e), &e);
		free(text);
		assert_int_equal(v->proof, fixtures[i].root_hash ? VOLUME_VERITY : VOLUME_RAW);
		if (!fixtures[i].root_hash)
			continue;
		hex_encode(v->verity.root_hash, v->verity.root_hash_size, hex);
		assert_string_equal(hex, fixtures[i].root_hash);
		assert_int_equal(v->verity.data_blocks, fixtures[i].data_blocks);
		assert_int_equal(v->verity.hash_start_block, fixtures[i].hash_start);
		assert_int_equal(v->verity.data_block_size, 512);
		assert_int_equal(v->verity.hash_block_size, 4096);
		assert_int_equal(v->verity.salt_size, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),    cmocka_unit_test(test_changes),
		cmocka_unit_test(test_refused),    cmocka_unit_test(test_layers),
		cmocka_unit_test(test_company),    cmocka_unit_test(test_no_objects),
		cmocka_unit_test(test_guest_pull), cmocka_unit_test(test_base64),
		cmocka_unit_test(test_fixtures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
