// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * Lists of several layers as describe() takes them as a whole: what of a list lacks verity,
 * and for which volume alone that is allowed; and what must be refused of the producers'
 * own and of those with one change, where they are at hand ($SOCLE_FIXTURES).
 */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mount/describe/describe.h"
#include "tests/unit/mount/describe/forms.h"

#define SIDECAR "{\"roothash\":\"" HASH("1") "\",\"hashoffset\":4096}"

static struct stack stack;

/* A list of mounts, which names no disk of the guest. */
static void give(struct describe_given *given, size_t volumes, unsigned int sidecars)
{
	memset(given, 0, sizeof(*given));
	for (size_t i = 0; i < volumes; i++) {
		given->volume[i].device = "SERIAL=layer";
		given->volume[i].sidecar = sidecars >> i & 1 ? SIDECAR : NULL;
	}
}

static const struct row {
	const char *name, *from;
	size_t volumes;        /* that a device is given for */
	unsigned int sidecars; /* a bit for each that a sidecar is given for */
	enum fail_code code;   /* FAIL_NONE: taken */
	const char *volume;    /* whose failure it is, or empty */
} rows[] = {
	{ "nydus-fallback", "containerd", 0, 0, FAIL_DESCRIPTION_INVALID, "" },
	{ "containerd-native", "containerd", 3, 5, FAIL_VERITY_MISSING, "volume-1" },
	{ "containerd-fsmeta", "containerd", 4, 0, FAIL_VERITY_MISSING, "volume-0" },
	{ "containerd-fsmeta-mixed", "containerd", 4, 1, FAIL_VERITY_MISSING, "volume-1" },
	{ "fsmeta-too-few", "containerd", 3, 0, FAIL_VERITY_MISSING, "volume-0" },
	{ "fsmeta-none", "containerd", 1, 0, FAIL_VERITY_MISSING, "volume-0" },
	{ "template-range", "containerd", 3, 7, FAIL_DESCRIPTION_INVALID, "" },
	{ "lowerdir-twice", "containerd", 3, 7, FAIL_KEY_REPEATED, "" },
	{ "sidecar-twice", "containerd", 3, 7, FAIL_DESCRIPTION_INVALID, "" },
	{ "storage-mixed", "kata-storage", 0, 0, FAIL_VERITY_MISSING, "volume-1" },
	{ "partition-same", "kata-storage", 0, 0, FAIL_DESCRIPTION_INVALID, "" },
	{ "partition-0", "kata-storage", 0, 0, FAIL_DESCRIPTION_INVALID, "" },
	{ "partition-none", "kata-storage", 0, 0, FAIL_DESCRIPTION_INVALID, "" },
	{ "roothash-none", "kata-storage", 0, 0, FAIL_ROOT_HASH_MISSING, "volume-1" },
	{ "hashoffset-none", "kata-storage", 0, 0, FAIL_VERITY_PARAMS_INVALID, "volume-1" },
	{ "hashoffset-unaligned", "kata-storage", 0, 0, FAIL_VERITY_PARAMS_INVALID, "volume-1" },
	{ "enabled-false", "kata-storage", 0, 0, FAIL_VERITY_PARAMS_INVALID, "" },
	{ "enabled-TRUE", "kata-storage", 0, 0, FAIL_VERITY_PARAMS_INVALID, "" },
	{ "storage-order-ok", "kata-storage", 0, 0, FAIL_NONE, "" },
};

static const struct row *find_row(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	fail_msg("%s is not a row of this test", name);
	return NULL;
}

static enum describe_form form_of(const char *from)
{
	return strcmp(from, "containerd") ? DESCRIBE_KATA_STORAGE : DESCRIBE_CONTAINERD;
}

static void try_row(const struct row *row, const char *text)
{
	enum describe_form forms[] = { form_of(row->from), DESCRIBE_BY_CONTENT };
	struct describe_given given;

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct err e = { 0 };
		int r;

		give(&given, row->volumes, row->sidecars);
		r = describe(forms[i], text, strlen(text), &given, &stack, &e);
		if (row->code)
			expect_failure(row->name, r, &e, row->code, "");
		else
			expect_success(row->name, r, &e);
		if (strcmp(e.volume, row->volume))
			fail_msg("%s: %s", row->name, e.volume);
	}
}

static const char *text_of(struct json_object *object, const char *name)
{
	struct json_object *value;

	json_object_object_get_ex(object, name, &value);
	return json_object_get_string(value);
}

static void test_fixtures(void **state)
{
	char *all = read_fixture("refuse/refuse.jsonl"), *rest = all, *line;
	size_t found = 0;

	(void)state;
	if (!all)
		skip();
	while ((line = strsep(&rest, "\n"))) {
		struct json_object *object = json_tokener_parse(line);
		const char *from = object ? text_of(object, "from") : "";

		if (!strcmp(from, "containerd") || !strcmp(from, "kata-storage")) {
			try_row(find_row(text_of(object, "name")), text_of(object, "input"));
			found++;
		}
		json_object_put(object);
	}
	free(all);
	assert_int_equal(found, ARRAY_SIZE(rows));
}

#define LAYER(n, more)                                                                             \
	"{\"type\":\"erofs\",\"source\":\"/s/" n "\",\"options\":[\"ro\",\"loop\"" more "]}"
#define VERITY ",\"X-containerd.dmverity=/s/x.dmverity\""
#define MIXED                                                                                      \
	"[" LAYER("3", VERITY) "," LAYER("2", "") "," LAYER(                                       \
		"1", VERITY) ","                                                                   \
			     "{\"type\":\"overlay\",\"source\":\"overlay\",\"options\":["          \
			     "\"lowerdir={{ overlay 0 2 }}\""                                      \
			     "]}]"

/* [verity, none, verity], as a producer really wrote it. */
static void test_mixed(void **state)
{
	struct describe_given given;
	struct err e = { 0 };

	(void)state;
	give(&given, 3, 5);
	expect_failure("none",
		       describe(DESCRIBE_CONTAINERD, MIXED, strlen(MIXED), &given, &stack, &e), &e,
		       FAIL_VERITY_MISSING, "--allow-unverified 1");
	for (size_t i = 0; i < 3; i += 2) {
		give(&given, 3, 5);
		given.volume[i].allow_unverified = true;
		expect_failure("another",
			       describe(DESCRIBE_CONTAINERD, MIXED, strlen(MIXED), &given, &stack,
					&e),
			       &e, FAIL_VERITY_MISSING, "");
		assert_string_equal(e.volume, "volume-1");
	}
	give(&given, 3, 5);
	given.volume[1].allow_unverified = true;
	expect_success("this one",
		       describe(DESCRIBE_CONTAINERD, MIXED, strlen(MIXED), &given, &stack, &e), &e);
	assert_int_equal(stack.volume[0].proof, VOLUME_SUPERBLOCK);
	assert_int_equal(stack.volume[1].proof, VOLUME_RAW);
	assert_int_equal(stack.volume[2].proof, VOLUME_SUPERBLOCK);
	/* The same words for volumes that are not there. */
	given.volume[3].allow_unverified = true;
	expect_failure("not there",
		       describe(DESCRIBE_CONTAINERD, MIXED, strlen(MIXED), &given, &stack, &e), &e,
		       FAIL_DESCRIPTION_INVALID, "volume-3");
}

/* A disk of the guest must be said of each layer and of each further device. */
static void test_devices(void **state)
{
	const char *text = "[" LAYER("2", ",\"device=/s/1\"") "]";
	struct describe_given given;
	struct err e = { 0 };

	(void)state;
	give(&given, 1, 3);
	given.volume[1].sidecar = SIDECAR;
	expect_failure("one", describe(DESCRIBE_CONTAINERD, text, strlen(text), &given, &stack, &e),
		       &e, FAIL_DESCRIPTION_INVALID, "--device 1=");
	give(&given, 2, 3);
	expect_success("both",
		       describe(DESCRIBE_CONTAINERD, text, strlen(text), &given, &stack, &e), &e);
	assert_int_equal(stack.volume[1].data.kind, DEVREF_SERIAL);
	give(&given, 2, 1);
	expect_failure("device",
		       describe(DESCRIBE_CONTAINERD, text, strlen(text), &given, &stack, &e), &e,
		       FAIL_VERITY_MISSING, "");
	assert_string_equal(e.volume, "volume-1");
}

/* Its upper is the caller's where the caller says one, whatever the list has. */
static void test_upper(void **state)
{
	const char *text =
		"[" LAYER("1",
			  VERITY) ","
				  "{\"type\":\"overlay\",\"source\":\"overlay\",\"options\":["
				  "\"lowerdir={{ mount 0 }}\",\"upperdir=/u\",\"workdir=/w\"]}]";
	struct describe_given given;
	struct err e = { 0 };

	(void)state;
	give(&given, 1, 1);
	expect_success("list",
		       describe(DESCRIBE_BY_CONTENT, text, strlen(text), &given, &stack, &e), &e);
	assert_int_equal(stack.upper.kind, UPPER_TMPFS);
	given.upper = "none";
	expect_success("none",
		       describe(DESCRIBE_BY_CONTENT, text, strlen(text), &given, &stack, &e), &e);
	assert_int_equal(stack.upper.kind, UPPER_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fixtures),
		cmocka_unit_test(test_mixed),
		cmocka_unit_test(test_devices),
		cmocka_unit_test(test_upper),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
