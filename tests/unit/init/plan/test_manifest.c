// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* A manifest says what a command line says, and is refused where that would be. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image-build/plan/plan_print.h"
#include "init/plan/cmdline.h"
#include "init/plan/manifest.h"
#include "tests/unit/sealed.h"

#define HEX16 "0123456789abcdef"
#define HASH  HEX16 HEX16 HEX16 HEX16
#define LAYER "{\"device\":\"/dev/vda\",\"root_hash\":\"" HASH "\",\"data_blocks\":8}"

static struct boot_plan plan;

/* A manifest beside a command line. */
static int parse(const char *cmdline, const char *text, struct err *e)
{
	char *line = sealed_line(cmdline), *copy = strdup(text);
	int r = plan_parse(line, cmdline_limit(CMDLINE_MACHINE), &plan, e);

	if (!r)
		r = manifest_parse(copy, strlen(copy), &plan, e);
	free(line);
	free(copy);
	return r;
}

static char *print(void)
{
	size_t size;
	char *text;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	plan_print(&plan, to);
	fclose(to);
	return text;
}

static const struct {
	const char *cmdline, *manifest;
} same[] = {
	{ "socle.layer=/dev/vda,root_hash=" HASH ",data_blocks=8",
	  "{\"version\":1,\"layers\":[" LAYER "]}" },
	{ "socle.layer=SERIAL=a\\x2cb,root_hash=" HASH ",data_blocks=8,salt=00ff,fstype=erofs "
	  "socle.layer=/dev/vda,root_hash=" HASH ",data_blocks=8 socle.upper=tmpfs,size=25% "
	  "socle.agent=/a/b socle.timeout=7 socle.on_failure=halt socle.volumes=yes "
	  "socle.on_corruption=eio "
	  "socle.report=/dev/hvc1",
	  "{\"layers\":[{\"fstype\":\"erofs\",\"salt\":\"00ff\",\"data_blocks\":\"8\",\"root_"
	  "hash\":"
	  "\"" HASH "\",\"device\":\"SERIAL=a\\\\x2cb\"}," LAYER "],\"upper\":\"tmpfs,size=25%\","
	  "\"agent\":\"/a/"
	  "b\",\"timeout\":7,\"on_failure\":\"halt\",\"volumes\":\"yes\",\"on_corruption\":\"eio\","
	  "\"report\":\"/dev/hvc1\",\"version\":1}\n" },
	{ "socle.layer=/dev/vda,root_hash=" HASH ",data_blocks=8,signature=base64:MAEAMA== "
	  "socle.layer=/dev/vdb,root_hash=" HASH ",data_blocks=8,signature=/root.p7s",
	  "{\"version\":1,\"layers\":[{\"device\":\"/dev/vda\",\"root_hash\":\"" HASH "\","
	  "\"data_blocks\":8,\"signature\":\"base64:MAEAMA==\"},{\"device\":\"/dev/vdb\","
	  "\"root_hash\":\"" HASH "\",\"data_blocks\":8,\"signature\":\"\\/root.p7s\"}]}" },
	{ "socle.layer=/dev/vda,hash_device=/dev/vdb,hash_start=0,root_hash=" HASH ",data_blocks=8",
	  "{\"version\":1,\"layers\":[{\"device\":\"/dev/vda\",\"hash_device\":\"/dev/vdb\","
	  "\"hash_start\":0,\"root_hash\":\"" HASH "\",\"data_blocks\":8}]}" },
};

static void test_same_plan(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(same); i++) {
		char *line = sealed_line(same[i].cmdline), *from_line, *from_manifest;
		struct err e = { 0 };

		expect_success(same[i].cmdline,
			       plan_parse(line, cmdline_limit(CMDLINE_MACHINE), &plan, &e), &e);
		free(line);
		from_line = print();
		expect_success(same[i].manifest, parse("quiet", same[i].manifest, &e), &e);
		from_manifest = print();
		assert_string_equal(from_line, from_manifest);
		free(from_line);
		free(from_manifest);
	}
}

static const struct {
	const char *cmdline, *manifest;
	enum fail_code code;
	const char *words;
} refused[] = {
	{ "", "", FAIL_VALUE_INVALID, "manifest" },
	{ "", "[]", FAIL_VALUE_INVALID, "not an object" },
	{ "", "null", FAIL_VALUE_INVALID, "manifest" },
	{ "", "{", FAIL_VALUE_INVALID, "manifest" },
	{ "", "{}", FAIL_VALUE_INVALID, "\"version\" is not 1" },
	{ "", "{\"version\":2}", FAIL_VALUE_INVALID, "\"version\" is not 1" },
	{ "", "{\"version\":\"1\"}", FAIL_VALUE_INVALID, "\"version\" is not 1" },
	{ "", "{\"version\":1} x", FAIL_VALUE_INVALID, "manifest" },
	{ "", "{\"version\":1}{\"version\":1}", FAIL_VALUE_INVALID, "manifest" },
	{ "", "{\"version\":1,\"layers\":[]}", FAIL_VALUE_INVALID, "not an array of layers" },
	{ "", "{\"version\":1,\"layers\":{}}", FAIL_VALUE_INVALID, "not an array of layers" },
	{ "", "{\"version\":1,\"layers\":[1]}", FAIL_VALUE_INVALID, "a layer is not an object" },
	{ "", "{\"version\":1,\"layers\":[{}]}", FAIL_VALUE_INVALID, "names no device" },
	{ "", "{\"version\":1,\"layers\":[{\"device\":\"/dev/vda\"}]}", FAIL_ROOT_HASH_MISSING,
	  "no root_hash=" },
	{ "", "{\"version\":1,\"layers\":[" LAYER ",{\"device\":\"/dev/vdb\",\"data_blocks\":1}]}",
	  FAIL_ROOT_HASH_MISSING, "no root_hash=" },
	{ "", "{\"version\":1,\"layers\":[{\"device\":[[[[1]]]]}]}", FAIL_VALUE_INVALID,
	  "manifest" },
	{ "", "{\"version\":1,\"layers\":[{\"device\":true}]}", FAIL_VALUE_INVALID,
	  "is neither a string nor" },
	{ "", "{\"version\":1,\"layers\":[{\"device\":\"/dev/vda\",\"colour\":1}]}",
	  FAIL_KEY_UNKNOWN, "colour" },
	{ "", "{\"version\":1,\"layers\":[{\"device\":\"/dev/vda\",\"data_blocks\":1.5}]}",
	  FAIL_VALUE_INVALID, "is neither a string nor" },
	{ "", "{\"version\":1,\"layers\":[{\"device\":\"/dev/vda\",\"signature\":\"\"}]}",
	  FAIL_SIGNATURE_INVALID, "is neither" },
	{ "", "{\"version\":1,\"shell\":\"yes\"}", FAIL_KEY_UNKNOWN, "shell" },
	{ "", "{\"version\":1,\"layer\":\"/dev/vda\"}", FAIL_KEY_UNKNOWN, "layer" },
	{ "", "{\"version\":1,\"manifest\":\"/dev/vda\"}", FAIL_KEY_UNKNOWN, "manifest" },
	{ "", "{\"version\":1,\"timeout\":0}", FAIL_VALUE_INVALID, "timeout" },
	{ "", "{\"version\":1,\"timeout\":null}", FAIL_VALUE_INVALID, "is neither a string nor" },
	/* twice, which json-c would not tell */
	{ "", "{\"version\":1,\"timeout\":3,\"timeout\":4}", FAIL_KEY_REPEATED,
	  "is specified twice" },
	{ "", "{\"version\":1,\"version\":1}", FAIL_KEY_REPEATED, "is specified twice" },
	{ "",
	  "{\"version\":1,\"layers\":[{\"device\":\"/dev/vda\",\"root_hash\":\"00\","
	  "\"root_hash\":\"" HASH "\",\"data_blocks\":8}]}",
	  FAIL_KEY_REPEATED, "is specified twice" },
	{ "", "{\"version\":1,\"layers\":[{\"device\":{\"a\":1}}]}", FAIL_VALUE_INVALID,
	  "nesting" },
	/* a NUL, which would end a text early */
	{ "", "{\"version\":1,\"agent\":\"/b\\u0000c\"}", FAIL_VALUE_INVALID,
	  "is neither a string nor" },
	/* in both */
	{ "socle.timeout=3", "{\"version\":1,\"timeout\":3}", FAIL_KEY_REPEATED, "timeout" },
	{ "socle.layer=/dev/vda,root_hash=" HASH ",data_blocks=8",
	  "{\"version\":1,\"layers\":[" LAYER "]}", FAIL_ROOT_AMBIGUOUS, "both socle.layer=" },
	{ "roothash=" HASH, "{\"version\":1,\"layers\":[" LAYER "]}", FAIL_ROOT_AMBIGUOUS,
	  "both roothash=" },
};

static void test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		struct err e = { 0 };

		expect_failure(refused[i].manifest,
			       parse(refused[i].cmdline, refused[i].manifest, &e), &e,
			       refused[i].code, refused[i].words);
	}
}

/* What a manifest says beside another dialect's root counts as it does on the line. */
static void test_beside_a_root(void **state)
{
	struct err e = { 0 };

	(void)state;
	expect_success("upper",
		       parse("roothash=" HASH, "{\"version\":1,\"upper\":\"tmpfs,size=10%\"}", &e),
		       &e);
	assert_int_equal(plan.upper.kind, UPPER_TMPFS);
	assert_string_equal(plan.upper.size, "10%");
	expect_success("volatile",
		       parse("systemd.volatile=yes", "{\"version\":1,\"layers\":[" LAYER "]}", &e),
		       &e);
	assert_int_equal(plan.root, PLAN_ROOT_TMPFS);
}

/* As many layers as an overlay takes, and one more. */
static void test_layer_count(void **state)
{
	static char text[65536];

	(void)state;
	for (size_t count = LAYERS_MAX; count <= LAYERS_MAX + 1; count++) {
		size_t used = (size_t)sprintf(text, "{\"version\":1,\"layers\":[");
		struct err e = { 0 };

		for (size_t i = 0; i < count; i++)
			used += (size_t)sprintf(text + used, "%s" LAYER, i ? "," : "");
		strcpy(text + used, "]}");
		if (count == LAYERS_MAX)
			expect_success("127", parse("", text, &e), &e);
		else
			expect_failure("128", parse("", text, &e), &e, FAIL_LIMIT_EXCEEDED,
				       "more than 127 layers");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_plan),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_layer_count),
		cmocka_unit_test(test_beside_a_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
