// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* What is the same for all forms: which it is, which disks, and that nothing loses its verity. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mount/describe/describe.h"
#include "mount/describe/print.h"
#include "tests/unit/mount/describe/forms.h"

#define VERITY                                                                                     \
	",\"dm_verity\":{\"hashtype\":\"sha256\",\"hash\":\"" HASH(                                \
		"5") "\",\"blocknum\":8,\"blocksize\":512,\"hashsize\":4096,\"offset\":4096}"
#define LAYER(verity)                                                                              \
	"{\"volume_type\":\"layer_raw_block\",\"source\":\"/x\",\"fs_type\":\"erofs\"" verity "}"
#define PROVED LAYER(VERITY)
#define BARE   LAYER("")

/* A layer as socle.layer= has it, and as JSON. */
#define OURS "root_hash=" HASH("5") ",data_blocks=8"
#define JSON(device, more)                                                                         \
	"{\"device\":\"" device "\",\"root_hash\":\"" HASH("5") "\",\"data_blocks\":8" more "}"
#define LAYERS(list) "{\"version\":1,\"layers\":[" list "]}"

static struct stack stack;
static struct describe_given given;

static int describe_text(enum describe_form form, const char *text, struct err *e)
{
	return describe(form, text, strlen(text), &given, &stack, e);
}

/* The first so many volumes are on disks of this name. */
static void give_devices(size_t count)
{
	memset(&given, 0, sizeof(given));
	for (size_t i = 0; i < count; i++)
		given.volume[i].device = "SERIAL=disk";
}

static const struct {
	enum describe_form form;
	const char *text;
	size_t devices, volumes;
} forms[] = {
	{ DESCRIBE_KATA_VOLUME, PROVED, 1, 1 },
	{ DESCRIBE_KATA_VOLUME, "[" PROVED "," PROVED "]", 2, 2 },
	{ DESCRIBE_KATA_VOLUME, "\n" PROVED "\n" PROVED "\n", 2, 2 },
	{ DESCRIBE_SOCLE, "/dev/vda," OURS, 0, 1 },
	{ DESCRIBE_SOCLE, "\n\n/dev/vda," OURS "\n\nSERIAL=e," OURS ",fstype=erofs\n", 0, 2 },
	{ DESCRIBE_SOCLE, LAYERS(JSON("/dev/vda", "") "," JSON("/dev/vdb", "")), 0, 2 },
	{ DESCRIBE_KATA_STORAGE,
	  "[{\"driver\":\"blk\",\"driver_options\":[],\"source\":\"02\",\"fstype\":\"erofs\","
	  "\"options\":[\"X-kata.overlay-lower\",\"X-kata.multi-layer=true\","
	  "\"X-kata.gpt-partitioned=true\",\"X-kata.partition-number=1\","
	  "\"X-kata.dmverity-enabled=true\",\"X-kata.dmverity.roothash=" HASH(
		  "5") "\",\"X-kata.dmverity.hashoffset=4096\",\"X-kata.dmverity.no-superblock="
		       "false\",\"X-kata.dmverity.salt=00\"],\"mount_point\":\"/r\",\"fs_group\":"
		       "null,\"shared\":false}]",
	  0, 1 },
};

static void test_forms(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct err e = { 0 };

		give_devices(forms[i].devices);
		expect_success(forms[i].text, describe_text(forms[i].form, forms[i].text, &e), &e);
		assert_int_equal(stack.count, forms[i].volumes);
		expect_success(forms[i].text, describe_text(DESCRIBE_BY_CONTENT, forms[i].text, &e),
			       &e);
		assert_int_equal(stack.count, forms[i].volumes);
		for (size_t j = 0; j < stack.count; j++)
			assert_int_not_equal(stack.volume[j].data.kind, DEVREF_NONE);
	}
}

static const struct {
	enum describe_form form;
	const char *text;
	enum fail_code code;
	const char *words;
} texts[] = {
	{ DESCRIBE_BY_CONTENT, "", FAIL_DESCRIPTION_INVALID, "the description is empty" },
	{ DESCRIBE_SOCLE, " \n", FAIL_DESCRIPTION_INVALID, "the description is empty" },
	{ DESCRIBE_BY_CONTENT, "{}", FAIL_DESCRIPTION_INVALID, "looks like none of" },
	{ DESCRIBE_BY_CONTENT, "[]", FAIL_DESCRIPTION_INVALID, "looks like none of" },
	{ DESCRIBE_BY_CONTENT, "[1]", FAIL_DESCRIPTION_INVALID, "looks like none of" },
	{ DESCRIBE_KATA_VOLUME, "[]", FAIL_DESCRIPTION_INVALID, "there is no volume" },
	{ DESCRIBE_CONTAINERD, "[]", FAIL_DESCRIPTION_INVALID, "there is no volume" },
	{ DESCRIBE_CONTAINERD, "x", FAIL_DESCRIPTION_INVALID, "at byte 0" },
	{ DESCRIBE_KATA_STORAGE, "x", FAIL_DESCRIPTION_INVALID, "at byte 0" },
	{ DESCRIBE_KATA_VOLUME, "%%", FAIL_DESCRIPTION_INVALID, "neither JSON nor JSON in base64" },
	{ DESCRIBE_BY_CONTENT, "eyJ", FAIL_DESCRIPTION_INVALID, "neither JSON nor JSON in base64" },
	{ DESCRIBE_SOCLE, LAYERS(""), FAIL_DESCRIPTION_INVALID, "there is no volume" },
	{ DESCRIBE_SOCLE, "[" LAYERS("") "]", FAIL_DESCRIPTION_INVALID, "not one object" },
	{ DESCRIBE_BY_CONTENT, "vda", FAIL_VALUE_INVALID, "" },
	{ DESCRIBE_KATA_VOLUME, PROVED, FAIL_DESCRIPTION_INVALID, "(--device 0=REFERENCE)" },
};

static void test_texts(void **state)
{
	static char large[DESCRIBE_SIZE_MAX + 2];
	struct err e = { 0 };

	(void)state;
	give_devices(0);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		expect_failure(texts[i].text, describe_text(texts[i].form, texts[i].text, &e), &e,
			       texts[i].code, texts[i].words);
	memset(large, ' ', sizeof(large) - 1);
	expect_failure("1 MiB and 1", describe_text(DESCRIBE_BY_CONTENT, large, &e), &e,
		       FAIL_LIMIT_EXCEEDED, "more than 1048576 bytes");
	large[sizeof(large) - 2] = '\0';
	expect_failure("1 MiB", describe_text(DESCRIBE_BY_CONTENT, large, &e), &e,
		       FAIL_DESCRIPTION_INVALID, "empty");
	expect_failure("a NUL", describe(DESCRIBE_SOCLE, "/dev/vda\0x", 10, &given, &stack, &e), &e,
		       FAIL_DESCRIPTION_INVALID, "a NUL in it");
}

/*
 * Which volumes have a verity (v) and which are allowed to have none (a): the first that
 * is missing, or -1.
 */
static const struct {
	const char *volumes, *allowed;
	int missing;
} lists[] = {
	{ "v", " ", -1 },
	{ "v", "a", -1 },
	{ "-", " ", 0 },
	{ "-", "a", -1 },
	{ "v-v", "   ", 1 },
	{ "v-v", " a ", -1 },
	{ "v-v", "a a", 1 },
	{ "-v-", "a  ", 2 },
	{ "-v-", "  a", 0 },
	{ "---", "aa ", 2 },
	{ "---", "aaa", -1 },
	{ "--v", " aa", 0 },
	{ "vvvvvvv-", "       ", 7 },
};

static void test_verity_missing(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		size_t count = strlen(lists[i].volumes);
		char text[8192] = "", name[32];
		struct err e = { 0 };
		int r;

		give_devices(count);
		for (size_t j = 0; j < count; j++) {
			strcat(text, lists[i].volumes[j] == 'v' ? PROVED "\n" : BARE "\n");
			given.volume[j].allow_unverified = lists[i].allowed[j] == 'a';
		}
		r = describe_text(DESCRIBE_KATA_VOLUME, text, &e);
		if (lists[i].missing < 0) {
			expect_success(lists[i].volumes, r, &e);
			for (size_t j = 0; j < count; j++)
				assert_int_equal(stack.volume[j].proof, lists[i].volumes[j] == 'v' ?
										VOLUME_VERITY :
										VOLUME_RAW);
			continue;
		}
		snprintf(name, sizeof(name), "volume-%d", lists[i].missing);
		expect_failure(lists[i].volumes, r, &e, FAIL_VERITY_MISSING, "nothing proves");
		assert_string_equal(e.volume, name);
	}
}

/* What is given is for a volume that is there. */
static void test_given(void **state)
{
	struct err e = { 0 };

	(void)state;
	give_devices(2);
	expect_failure("a device", describe_text(DESCRIBE_KATA_VOLUME, PROVED, &e), &e,
		       FAIL_DESCRIPTION_INVALID, "a device is given for volume-1, and there are 1");
	give_devices(1);
	given.volume[STACK_VOLUMES_MAX - 1].allow_unverified = true;
	expect_failure("a permission", describe_text(DESCRIBE_KATA_VOLUME, PROVED, &e), &e,
		       FAIL_DESCRIPTION_INVALID, "a permission is given for volume-383");
	give_devices(1);
	given.volume[1].sidecar = "{}";
	expect_failure("a sidecar", describe_text(DESCRIBE_KATA_VOLUME, PROVED, &e), &e,
		       FAIL_DESCRIPTION_INVALID, "a sidecar is given for volume-1");
	give_devices(1);
	given.volume[0].sidecar = "{}";
	expect_failure("no use", describe_text(DESCRIBE_KATA_VOLUME, PROVED, &e), &e,
		       FAIL_DESCRIPTION_INVALID, "a sidecar is given for it");
	given.volume[0].allow_unverified = true;
	expect_failure("no use", describe_text(DESCRIBE_KATA_VOLUME, BARE, &e), &e,
		       FAIL_DESCRIPTION_INVALID, "a sidecar is given for it");
	give_devices(1);
	given.directories = 1;
	given.directory[0] = "/x";
	expect_failure("directories", describe_text(DESCRIBE_KATA_VOLUME, PROVED, &e), &e,
		       FAIL_DESCRIPTION_INVALID, "directories are given");
	give_devices(1);
	given.volume[0].device = "vdb";
	expect_failure("no reference", describe_text(DESCRIBE_KATA_VOLUME, PROVED, &e), &e,
		       FAIL_VALUE_INVALID, "");
	assert_string_equal(e.volume, "volume-0");
	give_devices(1);
	given.upper = "tmpfs,size=1%";
	expect_success("an upper", describe_text(DESCRIBE_KATA_VOLUME, PROVED, &e), &e);
	assert_int_equal(stack.upper.kind, UPPER_TMPFS);
	given.upper = "overlay";
	expect_failure("no upper", describe_text(DESCRIBE_KATA_VOLUME, PROVED, &e), &e,
		       FAIL_VALUE_INVALID, "the upper layer");
	give_devices(1);
	expect_success("another disk", describe_text(DESCRIBE_SOCLE, "/dev/vda," OURS, &e), &e);
	assert_int_equal(stack.volume[0].data.kind, DEVREF_SERIAL);
}

/* As many layers as an overlay takes. */
static void test_layer_count(void **state)
{
	static char text[65536];

	(void)state;
	give_devices(0);
	for (size_t count = LAYERS_MAX; count <= LAYERS_MAX + 1; count++) {
		struct err e = { 0 };
		int r;

		text[0] = '\0';
		for (size_t i = 0; i < count; i++)
			strcat(text, "/dev/vda," OURS "\n");
		r = describe_text(DESCRIBE_SOCLE, text, &e);
		if (count == LAYERS_MAX)
			expect_success("127", r, &e);
		else
			expect_failure("128", r, &e, FAIL_LIMIT_EXCEEDED, "more than 127 layers");
	}
}

static const struct {
	const char *text;
	enum fail_code code;
	const char *words;
} ours[] = {
	{ "/dev/vda", FAIL_VERITY_MISSING, "nothing proves" },
	{ "/dev/vda,fstype=ext4", FAIL_VERITY_MISSING, "nothing proves" },
	{ "/dev/vda,data_blocks=8", FAIL_ROOT_HASH_MISSING, "no root_hash=" },
	{ "/dev/vda,fstype=erofs,salt=-", FAIL_ROOT_HASH_MISSING, "no root_hash=" },
	{ "/dev/vda,root_hash=" HASH("5"), FAIL_VERITY_PARAMS_INVALID, "data_blocks=" },
	{ "/dev/vda," OURS ",colour=red", FAIL_KEY_UNKNOWN, "colour" },
	{ "/dev/vda," OURS ",data_blocks=8", FAIL_KEY_REPEATED, "data_blocks" },
	{ "/dev/vda," OURS "\r", FAIL_DESCRIPTION_INVALID, "control character" },
	{ "/dev/vda," OURS ",fstype=vfat", FAIL_VALUE_INVALID, "vfat" },
	{ "{\"version\":1,\"layers\":[1]}", FAIL_DESCRIPTION_INVALID, "is not an object" },
	{ "{\"version\":2,\"layers\":[]}", FAIL_DESCRIPTION_INVALID, "is not 1" },
	{ "{\"layers\":[]}", FAIL_DESCRIPTION_INVALID, "\"version\" is missing" },
	{ "{\"version\":1,\"layers\":{}}", FAIL_DESCRIPTION_INVALID, "is not an array" },
	{ "{\"version\":1,\"layers\":[],\"agent\":\"/x\"}", FAIL_KEY_UNKNOWN, "agent" },
	{ LAYERS("{\"root_hash\":\"" HASH("5") "\",\"data_blocks\":8}"), FAIL_DESCRIPTION_INVALID,
	  "--device 0=" },
	{ LAYERS("{\"device\":\"/dev/vda\",\"fstype\":\"erofs\"}"), FAIL_VERITY_MISSING,
	  "nothing proves" },
	{ LAYERS(JSON("/dev/vda", ",\"salt\":null")), FAIL_DESCRIPTION_INVALID,
	  "\"salt\" is neither" },
	{ LAYERS(JSON("/dev/vda", ",\"salt\":\"\\u0000\"")), FAIL_DESCRIPTION_INVALID,
	  "\"salt\" is neither" },
	{ LAYERS(JSON("/dev/vda", ",\"data_blocks\":8")), FAIL_KEY_REPEATED, "twice" },
	{ LAYERS(JSON("/dev/vda", ",\"devices\":{}")), FAIL_DESCRIPTION_INVALID, "not an array" },
	{ LAYERS(JSON("/dev/vda", ",\"fstype\":\"ext4\",\"devices\":[" JSON("/dev/vdb", "") "]")),
	  FAIL_DESCRIPTION_INVALID, "only an erofs has further devices" },
	{ LAYERS(JSON("/dev/vda", ",\"devices\":[{\"device\":\"/dev/vdb\"}]")), FAIL_VERITY_MISSING,
	  "nothing proves" },
	{ LAYERS(JSON("/dev/vda", ",\"devices\":[" JSON("/dev/vdb", ",\"fstype\":\"erofs\"") "]")),
	  FAIL_KEY_UNKNOWN, "fstype" },
	{ LAYERS(JSON("/dev/vda", ",\"devices\":[" JSON("/dev/vdb", ",\"devices\":[]") "]")),
	  FAIL_DESCRIPTION_INVALID, "\"devices\" is neither" },
	{ "{\"version\":1,\"layers\":[" JSON("/dev/vda", "") "],\"upper\":\"ram\"}",
	  FAIL_VALUE_INVALID, "the upper layer" },
};

static void test_ours(void **state)
{
	static char line[4096];
	struct err e = { 0 };

	(void)state;
	give_devices(0);
	for (size_t i = 0; i < ARRAY_SIZE(ours); i++)
		expect_failure(ours[i].text, describe_text(DESCRIBE_SOCLE, ours[i].text, &e), &e,
			       ours[i].code, ours[i].words);
	memset(line, 'x', sizeof(line) - 1);
	expect_failure("a long line", describe_text(DESCRIBE_SOCLE, line, &e), &e,
		       FAIL_LIMIT_EXCEEDED, "a line has more than 2047 bytes");
}

/* An erofs of two further devices between two layers, and what a dry run says of it all. */
static const char with_devices[] = "{\"version\":1,\"layers\":[" JSON("/dev/vda", "") "," JSON(
	"SERIAL=b",
	",\"salt\":\"00ff\",\"signature\":\"base64:MAEAMA==\",\"devices\":[" JSON(
		"SERIAL=c",
		",\"hash_start\":3") ",{\"device\":\"SERIAL=d\"}]") "," JSON("/dev/vde",
									     ",\"signature\":\"/"
									     "a.p7s\"") "],"
											"\"upper\":"
											"\"tmpfs,"
											"size=5%"
											"\"}";

#define PRINTED(start, salt)                                                                       \
	"  hash sha256 format 1\n"                                                                 \
	"  data_block_size 4096 data_blocks 8\n"                                                   \
	"  hash_block_size 4096 hash_start " start "\n"                                            \
	"  salt " salt "\n"                                                                        \
	"  root_hash " HASH("5") "\n"

static const char printed[] = "volume-0\n  data_device /dev/vda\n" PRINTED(
	"9",
	"-") "volume-1\n  data_device SERIAL=b\n  fstype erofs\n  devices "
	     "2\n" PRINTED("9",
			   "00ff") "  signature of 4 bytes\n"
				   "volume-2\n  data_device SERIAL=c\n" PRINTED(
					   "8",
					   "-") "volume-3\n  data_device "
						"SERIAL=d\n  unverified\n"
						"volume-4\n  data_device "
						"/dev/vde\n" PRINTED("9",
								     "-") "  signature /a.p7s\n"
									  "upper "
									  "tmpfs,size=5%\n";

static void test_devices(void **state)
{
	char text[4096];
	struct err e = { 0 };

	(void)state;
	give_devices(0);
	expect_failure("one is bare", describe_text(DESCRIBE_SOCLE, with_devices, &e), &e,
		       FAIL_VERITY_PARAMS_INVALID, "is inside the data");
	given.volume[3].allow_unverified = true;
	expect_success("allowed",
		       describe_text(DESCRIBE_SOCLE,
				     changed(with_devices, "\"hash_start\":3", "\"hash_start\":8"),
				     &e),
		       &e);
	assert_int_equal(stack.count, 5);
	assert_int_equal(stack_layers(&stack), 3);
	assert_int_equal(stack.volume[1].devices, 2);
	assert_int_equal(stack.volume[3].proof, VOLUME_RAW);
	assert_int_equal(stack_print(&stack, false, text, sizeof(text)), strlen(printed));
	assert_string_equal(text, printed);
	given.volume[3].allow_unverified = false;
	expect_failure("one is bare",
		       describe_text(DESCRIBE_SOCLE,
				     changed(with_devices, "\"hash_start\":3", "\"hash_start\":8"),
				     &e),
		       &e, FAIL_VERITY_MISSING, "--allow-unverified 3");
}

/* The same as JSON, which is JSON however much of it there is room for. */
static void test_print_json(void **state)
{
	auto_json struct json_object *root = NULL;
	struct json_object *list, *object;
	char text[8192], part[100];
	const char *word;
	struct err e = { 0 };
	size_t length;

	(void)state;
	give_devices(2);
	given.volume[1].allow_unverified = true;
	given.upper = "disk:SERIAL=s,encrypted";
	expect_success("two", describe_text(DESCRIBE_KATA_VOLUME, PROVED "\n" BARE, &e), &e);
	length = stack_print(&stack, true, text, sizeof(text));
	assert_int_equal(length, strlen(text));
	assert_int_equal(stack_print(&stack, true, part, sizeof(part)), length);
	assert_memory_equal(part, text, sizeof(part) - 1);
	expect_success(text, hostile_parse(text, length, &root, &e), &e);
	expect_success("upper", hostile_string(root, "upper", true, &word, &e), &e);
	assert_string_equal(word, "disk:SERIAL=s,encrypted");
	expect_success("volumes", hostile_array(root, "volumes", &list, &e), &e);
	assert_int_equal(hostile_count(list), 2);
	expect_success("1", hostile_object_at(list, 1, &object, &e), &e);
	assert_null(json_object_object_get(object, "verity"));
	assert_true(json_object_get_boolean(json_object_object_get(object, "refuse_whiteouts")));
	expect_success("0", hostile_object_at(list, 0, &object, &e), &e);
	assert_non_null(json_object_object_get(object, "verity"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),          cmocka_unit_test(test_texts),
		cmocka_unit_test(test_verity_missing), cmocka_unit_test(test_given),
		cmocka_unit_test(test_layer_count),    cmocka_unit_test(test_ours),
		cmocka_unit_test(test_devices),        cmocka_unit_test(test_print_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
