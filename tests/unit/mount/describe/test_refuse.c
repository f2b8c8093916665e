// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * fixtures/refuse/refuse.jsonl: descriptions that must be refused, each with its code. What
 * only the disk shows (a hash that does not match, a deletion that would come back) is taken
 * here, and refused in tests/qemu.
 */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mount/describe/describe.h"
#include "tests/unit/mount/describe/forms.h"

#define TAKEN FAIL_NONE

static const struct {
	const char *name;
	enum fail_code code;
} expected[] = {
	{ "nydus-mixed", FAIL_VERITY_MISSING },
	{ "nydus-fallback", FAIL_DESCRIPTION_INVALID },
	{ "nydus-layers-whiteouts", TAKEN }, /* the disk: refuse_whiteouts */
	{ "missing-hash", FAIL_ROOT_HASH_MISSING },
	{ "missing-blocknum", FAIL_VERITY_PARAMS_INVALID },
	{ "missing-blocksize", FAIL_VERITY_PARAMS_INVALID },
	{ "missing-offset", FAIL_VERITY_PARAMS_INVALID },
	{ "blocknum-from-offset", TAKEN }, /* the disk: verify finds a block too many */
	{ "blocknum-zero", FAIL_VERITY_PARAMS_INVALID },
	{ "blocknum-2^64", FAIL_DESCRIPTION_INVALID },
	{ "blocknum-negative", FAIL_DESCRIPTION_INVALID },
	{ "blocknum-float", FAIL_DESCRIPTION_INVALID },
	{ "blocksize-768", FAIL_VERITY_PARAMS_INVALID },
	{ "blocksize-256", FAIL_VERITY_PARAMS_INVALID },
	{ "blocksize-1M", FAIL_VERITY_PARAMS_INVALID },
	{ "blocksize-4096", TAKEN }, /* the disk: nothing verifies */
	{ "offset-unaligned", FAIL_VERITY_PARAMS_INVALID },
	{ "offset-inside", FAIL_VERITY_PARAMS_INVALID },
	{ "offset-overflow", FAIL_DESCRIPTION_INVALID },
	{ "offset-plus-superblock", TAKEN }, /* the disk: nothing verifies */
	{ "hash-63", FAIL_ROOT_HASH_INVALID },
	{ "hash-nonhex", FAIL_ROOT_HASH_INVALID },
	{ "hash-space", FAIL_ROOT_HASH_INVALID },
	{ "hash-newline", FAIL_DESCRIPTION_INVALID },
	{ "hashtype-sha1", FAIL_VERITY_PARAMS_INVALID },
	{ "hashtype-md5", FAIL_VERITY_PARAMS_INVALID },
	{ "hashtype-case", TAKEN },
	{ "salt-wrong", TAKEN }, /* the disk: nothing verifies */
	{ "salt-odd", FAIL_VERITY_PARAMS_INVALID },
	{ "salt-300", FAIL_VERITY_PARAMS_INVALID },
	{ "fs_type-injection", FAIL_DESCRIPTION_INVALID },
	{ "option-device", FAIL_DESCRIPTION_INVALID },
	{ "option-rw", FAIL_DESCRIPTION_INVALID },
	{ "nydusd", FAIL_DESCRIPTION_UNSUPPORTED },
	{ "type-unknown", FAIL_DESCRIPTION_INVALID },
	{ "duplicate-key", FAIL_KEY_REPEATED },
	{ "trailing", FAIL_DESCRIPTION_INVALID },
	{ "base64-broken", FAIL_DESCRIPTION_INVALID },
	{ "source-path", FAIL_DESCRIPTION_INVALID },
	{ "containerd-native", FAIL_VERITY_MISSING },
	{ "containerd-fsmeta", FAIL_VERITY_MISSING },
	{ "containerd-fsmeta-mixed", FAIL_VERITY_MISSING },
	{ "fsmeta-too-few", FAIL_VERITY_MISSING },
	{ "fsmeta-none", FAIL_VERITY_MISSING },
	{ "template-range", FAIL_DESCRIPTION_INVALID },
	{ "lowerdir-twice", FAIL_KEY_REPEATED },
	{ "sidecar-twice", FAIL_DESCRIPTION_INVALID },
	{ "storage-mixed", FAIL_VERITY_MISSING },
	{ "partition-same", FAIL_DESCRIPTION_INVALID },
	{ "partition-0", FAIL_DESCRIPTION_INVALID },
	{ "partition-none", FAIL_DESCRIPTION_INVALID },
	{ "roothash-none", FAIL_ROOT_HASH_MISSING },
	{ "hashoffset-none", FAIL_VERITY_PARAMS_INVALID },
	{ "hashoffset-unaligned", FAIL_VERITY_PARAMS_INVALID },
	{ "enabled-false", FAIL_VERITY_PARAMS_INVALID },
	{ "enabled-TRUE", FAIL_VERITY_PARAMS_INVALID },
	{ "storage-order-ok", TAKEN },
};

static struct describe_given given;
static struct stack stack;

/* Every disk is named, and containerd's layers have a sidecar where something else is wrong. */
static void give(const char *name)
{
	static const char sidecar[] = "{\"roothash\":\"" HASH("5") "\",\"hashoffset\":4096}";
	bool sidecars = !strcmp(name, "template-range") || !strcmp(name, "lowerdir-twice");

	memset(&given, 0, sizeof(given));
	for (size_t i = 0; i < 3; i++) {
		given.volume[i].device = "/dev/vdb";
		given.volume[i].sidecar = sidecars ? sidecar : NULL;
	}
}

/* How many disks a description has is not the question here. */
static int describe_some(enum describe_form form, const char *text, struct err *e)
{
	int r = describe(form, text, strlen(text), &given, &stack, e);

	for (size_t i = 3; r && i && strstr(e->text, "is given for volume-");) {
		given.volume[--i].device = NULL;
		r = describe(form, text, strlen(text), &given, &stack, e);
	}
	return r;
}

static enum fail_code expected_code(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
		if (!strcmp(expected[i].name, name))
			return expected[i].code;
	fail_msg("%s is not in the table", name);
	return FAIL_NONE;
}

static enum describe_form form_of(const char *name)
{
	for (int i = 0; describe_forms[i]; i++)
		if (!strcmp(describe_forms[i], name))
			return (enum describe_form)i;
	fail_msg("%s is no form", name);
	return DESCRIBE_BY_CONTENT;
}

static const char *member(struct json_object *line, const char *name)
{
	return json_object_get_string(json_object_object_get(line, name));
}

static void check_line(struct json_object *line)
{
	const char *name = member(line, "name"), *raw = member(line, "raw");
	const char *text = raw ? raw : member(line, "input");
	enum fail_code code = expected_code(name);
	struct err e = { 0 };
	int r;

	give(name);
	r = describe_some(form_of(member(line, "from")), text, &e);
	if ((code == TAKEN) != !r || e.code * !!r != code * !!r)
		fail_msg("%s: %s (%s), not %s", name, r ? fail_name(e.code) : "taken", e.text,
			 code == TAKEN ? "taken" : fail_name(code));
	/* By content no less is refused. */
	memset(&e, 0, sizeof(e));
	give(name);
	if (!r != !describe_some(DESCRIBE_BY_CONTENT, text, &e))
		fail_msg("%s: by content %s (%s)", name, fail_name(e.code), e.text);
}

static void test_refused(void **state)
{
	char *text = read_fixture("refuse/refuse.jsonl"), *rest = text, *line;
	size_t lines = 0;

	(void)state;
	if (!text)
		skip();
	while ((line = strsep(&rest, "\n")))
		if (*line) {
			auto_json struct json_object *object = json_tokener_parse(line);

			assert_non_null(object);
			check_line(object);
			lines++;
		}
	free(text);
	assert_int_equal(lines, ARRAY_SIZE(expected));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
