// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mount/describe/sidecar.h"
#include "tests/unit/mount/describe/forms.h"

#define LAYER_OF(n, more)                                                                          \
	"{\"type\":\"erofs\",\"source\":\"/s/" n "/layer.erofs\",\"target\":\"\",\"options\":["    \
	"\"ro\",\"loop\"" more "]}"
#define LAYER(n)  LAYER_OF(n, ",\"X-containerd.dmverity=/s/" n "/layer.erofs.dmverity\"")
#define PLAIN(n)  LAYER_OF(n, "")
#define DEVICE(n) ",\"device=/s/" n "/layer.erofs\""
#define DISK                                                                                       \
	"{\"type\":\"mkfs/ext4\",\"source\":\"/s/rwlayer.img\",\"options\":["                      \
	"\"X-containerd.mkfs.fs=ext4\",\"X-containerd.mkfs.size=1\",\"rw\",\"loop\"]}"
#define OVERLAY(more)                                                                              \
	"{\"type\":\"format/mkdir/overlay\",\"source\":\"overlay\",\"target\":\"\","               \
	"\"options\":[" more "]}"
#define UPPER                  "\"workdir=/s/9/work\",\"upperdir=/s/9/fs\","
#define ALL                    "\"lowerdir={{ overlay 0 2 }}\""
#define THREE                  LAYER("3") "," LAYER("2") "," LAYER("1")
#define SIDECAR(digit, offset) "{\"roothash\":\"" HASH(digit) "\",\"hashoffset\":" offset "}"

#define NYDUS_MOUNT(more)                                                                          \
	"{\"type\":\"fuse.nydus-overlayfs\",\"source\":\"overlay\",\"options\":[" more "]}"
#define NYDUS(more) "[" NYDUS_MOUNT(more) "]"
/* {"volume_type":"layer_raw_block","source":"/c/1.layer.disk","fs_type":"erofs"} */
#define NYDUS_VOLUME                                                                               \
	"io.katacontainers.volume=eyJ2b2x1bWVfdHlwZSI6ImxheWVyX3Jhd19ibG9jayIsInNvdXJjZSI6"        \
	"Ii9jLzEubGF5ZXIuZGlzayIsImZzX3R5cGUiOiJlcm9mcyJ9"

static struct stack stack;

static int take(const char *text, const struct describe_given *given, struct err *e)
{
	return read_form(&form_containerd, text, given, &stack, e);
}

/* Sidecars for the first three volumes. */
static struct describe_given three;

static int set_up(void **state)
{
	(void)state;
	three.volume[0].sidecar = SIDECAR("3", "32768");
	three.volume[1].sidecar = SIDECAR("2", "65536");
	three.volume[2].sidecar = SIDECAR("1", "1400832");
	return 0;
}

static void expect_superblock(size_t i, uint8_t byte, uint64_t offset)
{
	const struct volume *v = &stack.volume[i];

	assert_int_equal(v->proof, VOLUME_SUPERBLOCK);
	assert_int_equal(v->superblock_offset_bytes, offset);
	assert_true(v->tree_follows_data);
	assert_false(v->salt_given);
	assert_int_equal(v->verity.root_hash_size, 32);
	assert_int_equal(v->verity.root_hash[31], byte);
	assert_int_equal(v->data.kind, DEVREF_NONE);
	assert_int_equal(v->hash.kind, DEVREF_NONE);
}

static void expect_three(const char *label)
{
	assert_int_equal(stack.count, 3);
	assert_int_equal(stack_layers(&stack), 3);
	expect_superblock(0, 0x33, 32768);
	expect_superblock(1, 0x22, 65536);
	expect_superblock(2, 0x11, 1400832);
	for (size_t i = 0; i < 3; i++)
		if (strcmp(stack.volume[i].fstype, "erofs") || stack.volume[i].devices)
			fail_msg("%s", label);
}

static void test_layers(void **state)
{
	struct err e = { 0 };

	(void)state;
	expect_success("prepare", take("[" THREE "," OVERLAY(UPPER ALL) "]", &three, &e), &e);
	expect_three("prepare");
	assert_int_equal(stack.upper.kind, UPPER_TMPFS);
	expect_success("view", take("[" THREE "," OVERLAY(ALL) "]", &three, &e), &e);
	expect_three("view");
	assert_int_equal(stack.upper.kind, UPPER_NONE);
	/* A top layer out of containerd's cache. */
	expect_success("ro", take("[" THREE "," OVERLAY("\"ro\"," UPPER ALL) "]", &three, &e), &e);
	expect_three("ro");
}

static void test_one_layer(void **state)
{
	static const char *const texts[] = {
		"[" LAYER("1") "]",
		"[" LAYER("1") "," OVERLAY("\"lowerdir={{ mount 0 }}\"") "]",
		"[" LAYER("1") "," OVERLAY("\"lowerdir={{ overlay 0 0 }}\"") "]",
		"[" LAYER("1") ",{\"type\":\"format/bind\",\"source\":\"{{ mount 0 }}\","
			       "\"options\":[\"ro\",\"rbind\"]}]",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct err e = { 0 };

		expect_success(texts[i], take(texts[i], &three, &e), &e);
		assert_int_equal(stack.count, 1);
		expect_superblock(0, 0x33, 32768);
		assert_int_equal(stack.upper.kind, UPPER_NONE);
	}
}

/* A file system of its own for names, and its data on the layers, in the order of its slots. */
static void test_devices(void **state)
{
	struct describe_given given = { 0 };
	struct err e = { 0 };

	(void)state;
	given.volume[0].sidecar = SIDECAR("4", "16384");
	given.volume[1].sidecar = SIDECAR("3", "32768");
	given.volume[3].sidecar = SIDECAR("1", "1400832");
	expect_success("fsmeta",
		       take("[" LAYER("4") "," LAYER_OF("2", DEVICE("1") DEVICE("2")) "," OVERLAY(
				    UPPER "\"lowerdir={{ overlay 0 1 }}\"") "]",
			    &given, &e),
		       &e);
	assert_int_equal(stack.count, 4);
	assert_int_equal(stack_layers(&stack), 2);
	expect_superblock(0, 0x44, 16384);
	assert_int_equal(stack.volume[0].devices, 0);
	expect_superblock(1, 0x33, 32768);
	assert_int_equal(stack.volume[1].devices, 2);
	assert_int_equal(stack.volume[2].proof, VOLUME_RAW);
	assert_int_equal(stack.volume[2].devices, 0);
	expect_superblock(3, 0x11, 1400832);
}

/* A disk of the host's to write to is taken only where the caller says what the upper is. */
static void test_writable_disk(void **state)
{
	const char *text = "[" DISK "," THREE "," OVERLAY(
		"\"X-containerd.mkdir.path={{ mount 0 }}/upper:0755\","
		"\"workdir={{ mount 0 }}/work\",\"upperdir={{ mount 0 }}/upper\","
		"\"lowerdir={{ overlay 1 3 }}\"") "]";
	struct describe_given given = three;
	struct err e = { 0 };

	(void)state;
	expect_failure("disk", take(text, &given, &e), &e, FAIL_DESCRIPTION_UNSUPPORTED,
		       "/s/rwlayer.img, which would be written to, is a plain disk of the host's");
	given.upper = "tmpfs";
	expect_success("disk", take(text, &given, &e), &e);
	expect_three("disk");
	expect_success("ext4", take(changed(text, "mkfs/ext4", "ext4"), &given, &e), &e);
}

/* The list names a file of the host's with the numbers; unverified only by the caller's word. */
static void test_sidecar_lacks(void **state)
{
	const char *text = "[" THREE "," OVERLAY(UPPER ALL) "]";
	struct describe_given given = three;
	struct err e = { 0 };

	(void)state;
	given.volume[1].sidecar = NULL;
	expect_failure("lacks", take(text, &given, &e), &e, FAIL_VERITY_MISSING,
		       "in /s/2/layer.erofs.dmverity, a file of the host");
	assert_string_equal(e.volume, "volume-1");
	given.volume[0].allow_unverified = true;
	expect_failure("another", take(text, &given, &e), &e, FAIL_VERITY_MISSING, "/s/2/");
	given.volume[1].allow_unverified = true;
	expect_success("allowed", take(text, &given, &e), &e);
	assert_int_equal(stack.volume[1].proof, VOLUME_RAW);
	expect_superblock(0, 0x33, 32768);
}

static void test_sidecars(void **state)
{
	static const struct {
		const char *text, *words;
		enum fail_code code;
	} rows[] = {
		{ "{}", "volume-0: ", FAIL_DESCRIPTION_INVALID },
		{ "", "given for volume-0", FAIL_DESCRIPTION_INVALID },
		{ "[]", "not a JSON object", FAIL_DESCRIPTION_INVALID },
		{ "null", "not a JSON object", FAIL_DESCRIPTION_INVALID },
		{ "{\"hashoffset\":4096}", "no roothash", FAIL_ROOT_HASH_MISSING },
		{ "{\"roothash\":\"\",\"hashoffset\":4096}", "", FAIL_ROOT_HASH_MISSING },
		{ "{\"roothash\":\"x\",\"hashoffset\":4096}", "", FAIL_ROOT_HASH_INVALID },
		{ "{\"roothash\":\"" HASH("1") "\"}", "hashoffset", FAIL_DESCRIPTION_INVALID },
		{ SIDECAR("1", "0"), "hashoffset 0", FAIL_VERITY_PARAMS_INVALID },
		{ SIDECAR("1", "4097"), "hashoffset 4097", FAIL_VERITY_PARAMS_INVALID },
		{ SIDECAR("1", "-4096"), "hashoffset", FAIL_DESCRIPTION_INVALID },
		{ SIDECAR("1", "9223372036854775808"), "hashoffset", FAIL_DESCRIPTION_INVALID },
		{ SIDECAR("1", "\"4096\""), "hashoffset", FAIL_DESCRIPTION_INVALID },
		{ SIDECAR("1", "4096,\"salt\":\"00\""), "salt", FAIL_KEY_UNKNOWN },
		{ SIDECAR("1", "4096,\"hashoffset\":8192"), "", FAIL_KEY_REPEATED },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct describe_given given = { 0 };
		struct err e = { 0 };

		given.volume[0].sidecar = rows[i].text;
		expect_failure(rows[i].text, take("[" LAYER("1") "]", &given, &e), &e, rows[i].code,
			       rows[i].words);
	}
}

static void test_refused(void **state)
{
	static const char overlay[] = "[" THREE "," OVERLAY(UPPER ALL) "]";
	static const struct {
		const char *what, *into; /* a change of the list above */
		const char *words;
		enum fail_code code;
	} rows[] = {
		{ "overlay 0 2 }}", "overlay 0 9 }}", "all layers", FAIL_DESCRIPTION_INVALID },
		{ "overlay 0 2 }}", "overlay 2 0 }}", "all layers", FAIL_DESCRIPTION_INVALID },
		{ "overlay 0 2 }}", "overlay 0 1 }}", "is not \"{{ overlay 0 2 }}\": all layers",
		  FAIL_DESCRIPTION_INVALID },
		{ "overlay 0 2 }}", "overlay 0 2 }}:/etc", "all layers", FAIL_DESCRIPTION_INVALID },
		{ "overlay 0 2 }}", "mount 0 }}", "all layers", FAIL_DESCRIPTION_INVALID },
		{ "{{ overlay 0 2 }}", "/a:/b:/c", "all layers", FAIL_DESCRIPTION_INVALID },
		{ "\"workdir=/s/9/work\",", "", "together", FAIL_DESCRIPTION_INVALID },
		{ "workdir=/s/9/work", "workdir=work", "not a place", FAIL_DESCRIPTION_INVALID },
		{ "upperdir=/s/9/fs", "upperdir=../fs", "not a place", FAIL_DESCRIPTION_INVALID },
		{ "upperdir=/s/9/fs", "upperdir={{ mount 0 }}/x", "not a place",
		  FAIL_DESCRIPTION_INVALID },
		{ "workdir=/s/9/work", "lowerdir=/etc", "lowerdir is specified twice",
		  FAIL_KEY_REPEATED },
		{ "workdir=/s/9/work", "upperdir=/etc", "upperdir", FAIL_KEY_REPEATED },
		{ "upperdir=/s/9/fs", "workdir=/etc", "workdir", FAIL_KEY_REPEATED },
		{ "workdir=/s/9/work", "index=off", "\"index=off\" of an overlay",
		  FAIL_DESCRIPTION_INVALID },
		{ "\"workdir=/s/9/work\",\"upperdir=/s/9/fs\",\"lowerdir={{ overlay 0 2 }}\"", "",
		  "no lowerdir", FAIL_DESCRIPTION_INVALID },
		{ "layer.erofs.dmverity\"", "layer.erofs.dmverity\",\"X-containerd.dmverity=/o\"",
		  "two X-containerd.dmverity", FAIL_DESCRIPTION_INVALID },
		{ "dmverity=/s/3/layer.erofs.dmverity", "dmverity=", "X-containerd.dmverity",
		  FAIL_DESCRIPTION_INVALID },
		{ "dmverity=/s/3/layer.erofs.dmverity", "dmverity=off", "X-containerd.dmverity=off",
		  FAIL_DESCRIPTION_INVALID },
		{ "dmverity=/s/3/layer.erofs.dmverity", "dmverity.roothash=00", "dmverity.roothash",
		  FAIL_DESCRIPTION_INVALID },
		{ "\"ro\"", "\"rw\"", "\"rw\"", FAIL_DESCRIPTION_INVALID },
		{ "\"ro\"", "\"dax\"", "\"dax\"", FAIL_DESCRIPTION_INVALID },
		{ "\"ro\"", "\"device=\"", "\"device=\"", FAIL_DESCRIPTION_INVALID },
		{ "\"ro\"", "7", "", FAIL_DESCRIPTION_INVALID },
		{ "\"type\":\"erofs\"", "\"type\":\"ext4\",\"x\":1", "x", FAIL_KEY_UNKNOWN },
		{ "\"type\":\"erofs\"", "\"type\":\"squashfs\"", "mount 0: a mount of type",
		  FAIL_DESCRIPTION_INVALID },
		{ "\"type\":\"erofs\"", "\"type\":\"overlay\"", "in front of others",
		  FAIL_DESCRIPTION_INVALID },
		{ "\"type\":\"erofs\",", "", "type", FAIL_DESCRIPTION_INVALID },
		{ "\"target\":\"\"", "\"target\":\"/sub\"", "mounted at /sub",
		  FAIL_DESCRIPTION_UNSUPPORTED },
		{ "format/mkdir/overlay", "format/bind", "one layer, and there are 3",
		  FAIL_DESCRIPTION_INVALID },
		{ "format/mkdir/overlay", "tmpfs", "type \"tmpfs\"", FAIL_DESCRIPTION_INVALID },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err e = { 0 };
		int r = take(changed(overlay, rows[i].what, rows[i].into), &three, &e);

		expect_failure(rows[i].into, r, &e, rows[i].code, rows[i].words);
	}
}

static void test_refused_lists(void **state)
{
	static const struct {
		const char *text, *words;
		enum fail_code code;
	} rows[] = {
		{ "[]", "no volume in it", FAIL_DESCRIPTION_INVALID },
		{ "null", "no volume in it", FAIL_DESCRIPTION_INVALID },
		{ "{}", "no volume in it", FAIL_DESCRIPTION_INVALID },
		{ "\"x\"", "no volume in it", FAIL_DESCRIPTION_INVALID },
		{ "[1]", "", FAIL_DESCRIPTION_INVALID },
		{ "[{\"type\":\"overlay\",\"source\":\"overlay\",\"options\":[\"workdir=/a\","
		  "\"upperdir=/b\",\"lowerdir=/c\"]}]",
		  "no volume in it", FAIL_DESCRIPTION_INVALID },
		{ "[" DISK "]", "mkfs/ext4", FAIL_DESCRIPTION_INVALID },
		{ "[" DISK "," LAYER("1") "]", "puts them together", FAIL_DESCRIPTION_INVALID },
		{ "[" DISK "," LAYER("1") "," OVERLAY("\"lowerdir={{ mount 1 }}\"") "]", "not used",
		  FAIL_DESCRIPTION_INVALID },
		{ "[" DISK "," OVERLAY("\"lowerdir={{ mount 1 }}\"") "]", "no volume in it",
		  FAIL_DESCRIPTION_INVALID },
		{ "[" LAYER("2") "," LAYER("1") "]", "2 layers, and nothing",
		  FAIL_DESCRIPTION_INVALID },
		{ "[" LAYER("2") "," DISK "," OVERLAY("\"lowerdir={{ mount 0 }}\"") "]",
		  "in front of others", FAIL_DESCRIPTION_INVALID },
		{ "[" LAYER("1") ",{\"type\":\"format/bind\",\"source\":\"{{ mount 1 }}\"}]",
		  "all layers", FAIL_DESCRIPTION_INVALID },
		{ "[" LAYER("1") ",{\"type\":\"format/bind\",\"source\":\"/etc\"}]",
		  "is not \"{{ mount 0 }}\": all layers", FAIL_DESCRIPTION_INVALID },
		{ "[" LAYER("1") ",{\"type\":\"bind\",\"source\":\"{{ mount 0 }}\",\"options\":["
				 "\"rw\"]}]",
		  "\"rw\"", FAIL_DESCRIPTION_INVALID },
		{ NYDUS("\"lowerdir=/c\""), "no volume in it", FAIL_DESCRIPTION_INVALID },
		{ NYDUS("\"extraoption=eyJ9\""), "needs nydusd", FAIL_DESCRIPTION_UNSUPPORTED },
		{ NYDUS("\"io.katacontainers.volume=*\""), "", FAIL_DESCRIPTION_INVALID },
		{ NYDUS("\"lowerdir=/c\",\"lowerdir=/d\""), "twice", FAIL_KEY_REPEATED },
		{ NYDUS("\"" NYDUS_VOLUME "\",\"allow_other\""), "allow_other",
		  FAIL_DESCRIPTION_INVALID },
		{ "[" LAYER("1") "," NYDUS_MOUNT("\"" NYDUS_VOLUME "\"") "]",
		  "fuse.nydus-overlayfs", FAIL_DESCRIPTION_INVALID },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err e = { 0 };

		expect_failure(rows[i].text, take(rows[i].text, &three, &e), &e, rows[i].code,
			       rows[i].words);
	}
}

/* nydus-snapshotter's one mount: its volumes, in their order; the directories stand for nothing. */
static void test_nydus(void **state)
{
	struct err e = { 0 };

	(void)state;
	expect_success("two",
		       take(NYDUS("\"workdir=/w\",\"upperdir=/u\",\"lowerdir=/l\",\"" NYDUS_VOLUME
				  "\",\"" NYDUS_VOLUME "\""),
			    NULL, &e),
		       &e);
	assert_int_equal(stack.count, 2);
	assert_true(stack.volume[1].refuse_whiteouts);
	assert_int_equal(stack.volume[1].proof, VOLUME_RAW);
	assert_int_equal(stack.upper.kind, UPPER_TMPFS);
	expect_success("view", take(NYDUS("\"lowerdir=/l\",\"" NYDUS_VOLUME "\""), NULL, &e), &e);
	assert_int_equal(stack.upper.kind, UPPER_NONE);
}

/* As many layers as a stack has, and one more. */
static void test_limit(void **state)
{
	static char text[65536];
	struct err e = { 0 };

	(void)state;
	for (size_t layers = LAYERS_MAX; layers <= LAYERS_MAX + 1; layers++) {
		size_t used = (size_t)snprintf(text, sizeof(text), "[");

		for (size_t i = 0; i < layers; i++)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s,",
						 PLAIN("1"));
		snprintf(text + used, sizeof(text) - used,
			 OVERLAY("\"lowerdir={{ overlay 0 %zu }}\"") "]", layers - 1);
		if (layers == LAYERS_MAX)
			expect_success("127", take(text, NULL, &e), &e);
		else
			expect_failure("128", take(text, NULL, &e), &e, FAIL_LIMIT_EXCEEDED, "127");
	}
}

/* Further devices count as volumes of the stack. */
static void test_device_limit(void **state)
{
	static char text[65536];
	struct err e = { 0 };

	(void)state;
	for (size_t volumes = STACK_VOLUMES_MAX; volumes <= STACK_VOLUMES_MAX + 1; volumes++) {
		size_t used = (size_t)snprintf(text, sizeof(text),
					       "[{\"type\":\"erofs\",\"options\":[\"ro\"");

		for (size_t i = 1; i < volumes; i++)
			used += (size_t)snprintf(text + used, sizeof(text) - used,
						 ",\"device=/s/%zu\"", i);
		snprintf(text + used, sizeof(text) - used, "]}]");
		if (volumes == STACK_VOLUMES_MAX)
			expect_success("384", take(text, NULL, &e), &e);
		else
			expect_failure("385", take(text, NULL, &e), &e, FAIL_LIMIT_EXCEEDED,
				       "384 volumes");
	}
}

static void test_looks_like(void **state)
{
	static const struct {
		const char *text;
		bool is;
	} rows[] = {
		{ "[" LAYER("1") "]", true },
		{ "[{\"type\":\"x\"}]", true },
		{ "[{\"volume_type\":\"x\"}]", false },
		{ "[{\"driver\":\"x\"}]", false },
		{ "[]", false },
		{ "{\"type\":\"x\"}", false },
		{ "null", false },
		{ "[null]", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		expect_looks_like(&form_containerd, rows[i].text, rows[i].is);
}

/* What containerd wrote itself, with its own sidecars: how many layers and devices. */
static void test_real(void **state)
{
	static const struct {
		const char *folder, *list;
		size_t layers, devices;
		bool sidecars, upper;
	} rows[] = {
		{ "verity-4096", "mounts", 3, 0, true, true },
		{ "verity-4096", "mounts-view", 3, 0, true, false },
		{ "tar-index-512", "mounts", 3, 0, true, true },
		{ "tar-index-512", "mounts-view", 3, 0, true, false },
		{ "cache", "mounts", 3, 0, true, true },
		{ "block", "mounts", 3, 0, true, true },
		{ "block", "mounts-shim", 3, 0, true, true },
		{ "one-layer", "mounts", 1, 0, true, true },
		{ "one-layer", "mounts-view", 1, 0, true, false },
		{ "fsmeta", "mounts", 1, 3, false, true },
		{ "fsmeta", "mounts-view", 1, 3, false, false },
		{ "fsmeta-verity", "mounts", 1, 3, false, true },
		{ "fsmeta-verity", "mounts-view", 1, 3, false, false },
	};
	size_t found = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct describe_given given = three;
		struct err e = { 0 };
		char path[128], *text;

		snprintf(path, sizeof(path), "containerd/%s/%s.json", rows[i].folder, rows[i].list);
		text = read_fixture(path);
		if (!text)
			continue;
		found++;
		given.upper = "tmpfs";
		if (!rows[i].sidecars)
			memset(given.volume, 0, sizeof(given.volume));
		expect_success(path, take(text, &given, &e), &e);
		free(text);
		assert_int_equal(stack_layers(&stack), rows[i].layers);
		assert_int_equal(stack.count, rows[i].layers + rows[i].devices);
		assert_int_equal(stack.upper.kind, rows[i].upper ? UPPER_TMPFS : UPPER_NONE);
		for (size_t v = 0; v < stack.count; v++)
			assert_int_equal(stack.volume[v].proof,
					 rows[i].sidecars ? VOLUME_SUPERBLOCK : VOLUME_RAW);
	}
	if (!found)
		skip();
	assert_int_equal(found, ARRAY_SIZE(rows));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layers),        cmocka_unit_test(test_one_layer),
		cmocka_unit_test(test_devices),       cmocka_unit_test(test_writable_disk),
		cmocka_unit_test(test_sidecar_lacks), cmocka_unit_test(test_sidecars),
		cmocka_unit_test(test_refused),       cmocka_unit_test(test_refused_lists),
		cmocka_unit_test(test_nydus),         cmocka_unit_test(test_limit),
		cmocka_unit_test(test_device_limit),  cmocka_unit_test(test_looks_like),
		cmocka_unit_test(test_real),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
