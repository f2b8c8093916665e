// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mount/describe/storage_disk.h"
#include "tests/unit/mount/describe/forms.h"

#define STORAGE(driver, source, fstype, options)                                                   \
	"{\"driver\":\"" driver "\",\"driver_options\":[],\"source\":\"" source                    \
	"\",\"fstype\":\"" fstype "\",\"options\":[" options                                       \
	"],\"mount_point\":\"/run/c/rootfs\","                                                     \
	"\"fs_group\":null,\"shared\":false}"
#define LOWER   "\"X-kata.overlay-lower\",\"X-kata.multi-layer=true\""
#define PART(n) LOWER ",\"X-kata.gpt-partitioned=true\",\"X-kata.partition-number=" n "\""
#define SALT    HASH("0")
#define ROOT(d) "\"X-kata.dmverity.roothash=" HASH(d) "\""
#define ENABLED "\"X-kata.dmverity-enabled=true\""
#define VERITY(d, offset)                                                                          \
	ENABLED "," ROOT(d) ",\"X-kata.dmverity.hashoffset=" offset "\","                          \
			    "\"X-kata.dmverity.no-superblock=false\",\"X-kata.dmverity.salt=" SALT \
			    "\""
#define LAYER1 STORAGE("blk", "02", "erofs", PART("3") "," VERITY("1", "1400832"))
#define LAYER2 STORAGE("blk", "02", "erofs", PART("2") "," VERITY("2", "65536"))
#define LAYER3 STORAGE("blk", "02", "erofs", PART("1") "," VERITY("3", "32768"))
#define THREE  "[" LAYER3 "," LAYER2 "," LAYER1 "]"
#define RW_DISK                                                                                    \
	STORAGE("blk", "03", "ext4", "\"rw\",\"X-kata.overlay-upper\",\"X-kata.multi-layer=true\"")
#define ONE(more)   STORAGE("blk", "02/01.1", "erofs", "\"ro\"," LOWER more)
#define PLAIN(more) STORAGE("blk", "02", "erofs", "\"ro\"" more)

static struct stack stack;

static int take(const char *text, const struct describe_given *given, struct err *e)
{
	return read_form(&form_kata_storage, text, given, &stack, e);
}

static void expect_disk(size_t i, const char *text)
{
	char buf[DEVREF_TEXT_SIZE];

	assert_string_equal(devref_print(&stack.volume[i].data, buf, sizeof(buf)), text);
}

static void expect_superblock(size_t i, uint8_t byte, uint64_t offset)
{
	const struct volume *v = &stack.volume[i];

	assert_int_equal(v->proof, VOLUME_SUPERBLOCK);
	assert_int_equal(v->superblock_offset_bytes, offset);
	assert_true(v->tree_follows_data && v->salt_given);
	assert_int_equal(v->verity.salt_size, 32);
	assert_int_equal(v->verity.root_hash_size, 32);
	assert_int_equal(v->verity.root_hash[0], byte);
	assert_string_equal(v->fstype, "erofs");
}

static void test_partitions(void **state)
{
	static const char *const texts[] = {
		THREE,
		"[" LAYER1 "," LAYER3 "," LAYER2 "]",
		"{\"storages\":[" LAYER2 "," LAYER1 "," LAYER3 "]}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct err e = { 0 };

		expect_success(texts[i], take(texts[i], NULL, &e), &e);
		assert_int_equal(stack.count, 3);
		expect_superblock(0, 0x33, 32768);
		expect_superblock(1, 0x22, 65536);
		expect_superblock(2, 0x11, 1400832);
		expect_disk(0, "PCI=02/PARTN=1");
		expect_disk(2, "PCI=02/PARTN=3");
		assert_int_equal(stack.upper.kind, UPPER_TMPFS);
	}
}

/* What the stock agent refuses or mounts without: a disk with one layer and its numbers. */
static void test_single(void **state)
{
	struct err e = { 0 };

	(void)state;
	expect_success("layer", take("[" ONE("," VERITY("1", "4096")) "]", NULL, &e), &e);
	expect_superblock(0, 0x11, 4096);
	expect_disk(0, "PCI=02/01.1");
	assert_int_equal(stack.upper.kind, UPPER_TMPFS);
	expect_success("plain", take(PLAIN("," VERITY("1", "4096")), NULL, &e), &e);
	expect_superblock(0, 0x11, 4096);
	assert_int_equal(stack.upper.kind, UPPER_NONE);
	/* Without: for whoever looks at it to refuse. */
	expect_success("none", take(PLAIN(""), NULL, &e), &e);
	assert_int_equal(stack.volume[0].proof, VOLUME_RAW);
}

/* The host's path to containerd's file came along, its numbers did not. */
static void test_sidecar(void **state)
{
	const char *text = "[" ONE(",\"X-containerd.dmverity=/s/1/layer.erofs.dmverity\"") "]";
	struct describe_given given = { 0 };
	struct err e = { 0 };

	(void)state;
	expect_failure("lost", take(text, &given, &e), &e, FAIL_VERITY_MISSING,
		       "/s/1/layer.erofs.dmverity");
	given.volume[1].allow_unverified = true;
	expect_failure("another", take(text, &given, &e), &e, FAIL_VERITY_MISSING, "");
	given.volume[0].allow_unverified = true;
	expect_success("allowed", take(text, &given, &e), &e);
	assert_int_equal(stack.volume[0].proof, VOLUME_RAW);
	given.volume[0].sidecar = "{\"roothash\":\"" HASH("7") "\",\"hashoffset\":8192}";
	expect_success("given", take(text, &given, &e), &e);
	assert_int_equal(stack.volume[0].proof, VOLUME_SUPERBLOCK);
	assert_int_equal(stack.volume[0].superblock_offset_bytes, 8192);
	expect_failure("both", take("[" ONE("," VERITY("1", "4096")) "]", &given, &e), &e,
		       FAIL_DESCRIPTION_INVALID, "proves itself");
}

/* Where all numbers are sent, no superblock is read. */
static void test_numbers(void **state)
{
#define NUMBERS(offset, more)                                                                      \
	"[" ONE("," ENABLED "," ROOT("1") ",\"X-kata.dmverity.hashoffset=" offset "\"" more) "]"
#define SIZES(data, hash)                                                                          \
	",\"X-kata.dmverity.blocksize=" data "\",\"X-kata.dmverity.hashsize=" hash "\""
#define SALTED ",\"X-kata.dmverity.salt=00ff\""
#define NONE   ",\"X-kata.dmverity.no-superblock=true\""
	static const struct {
		const char *text;
		uint64_t blocks, start;
		uint32_t salt_size;
	} rows[] = {
		{ NUMBERS("1292800", SIZES("512", "512") SALTED), 2525, 2526, 2 },
		{ NUMBERS("1292800", SIZES("512", "512") NONE), 2525, 2525, 0 },
		{ NUMBERS("1400832", SIZES("4096", "512") SALTED), 342, 2737, 2 },
		{ NUMBERS("1400832", SIZES("512", "4096") SALTED NONE), 2736, 342, 2 },
		{ NUMBERS("1400832", SIZES("4096", "4096") SALTED NONE
			  ",\"X-kata.dmverity.algorithm=sha256\",\"X-kata.dmverity.hashtype=0\""),
		  342, 342, 2 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct verity_params *p = &stack.volume[0].verity;
		struct err e = { 0 };

		expect_success(rows[i].text, take(rows[i].text, NULL, &e), &e);
		assert_int_equal(stack.volume[0].proof, VOLUME_VERITY);
		assert_int_equal(p->data_blocks, rows[i].blocks);
		assert_true(p->hash_start_given);
		assert_int_equal(p->hash_start_block, rows[i].start);
		assert_int_equal(p->salt_size, rows[i].salt_size);
		expect_success("finished", volume_finish(&stack.volume[0], &e), &e);
	}
	assert_int_equal(stack.volume[0].verity.hash_type, 0);
}

static void test_refused_verity(void **state)
{
	static const struct {
		const char *what, *into; /* a change of the three layers */
		const char *words;
		enum fail_code code;
	} rows[] = {
		{ ENABLED ",", "", "not asked for", FAIL_VERITY_PARAMS_INVALID },
		{ "enabled=true", "enabled=True", "enabled=True", FAIL_VERITY_PARAMS_INVALID },
		{ "enabled=true", "enabled=false", "enabled=false", FAIL_VERITY_PARAMS_INVALID },
		{ "enabled=true", "enabled", "dmverity-enabled", FAIL_VERITY_PARAMS_INVALID },
		{ "dmverity-enabled", "dmverity_enabled", "dmverity_enabled",
		  FAIL_VERITY_PARAMS_INVALID },
		{ "enabled=true\",", "enabled=true\",\"X-kata.dmverity-enabled=true\",", "twice",
		  FAIL_KEY_REPEATED },
		{ ROOT("3") ",", "", "no root hash", FAIL_ROOT_HASH_MISSING },
		{ ROOT("3") ",", ROOT("3") "," ROOT("1") ",", "roothash= is specified twice",
		  FAIL_KEY_REPEATED },
		{ HASH("3"), "", "", FAIL_ROOT_HASH_MISSING },
		{ HASH("3"), "333", "", FAIL_ROOT_HASH_INVALID },
		{ "\"X-kata.dmverity.hashoffset=32768\",", "", "no hashoffset",
		  FAIL_VERITY_PARAMS_INVALID },
		{ "=32768\"", "=32769\"", "32769", FAIL_VERITY_PARAMS_INVALID },
		{ "=32768\"", "=0\"", "hashoffset", FAIL_VERITY_PARAMS_INVALID },
		{ "=32768\"", "=-512\"", "hashoffset", FAIL_VERITY_PARAMS_INVALID },
		{ "=32768\"", "=0x8000\"", "hashoffset", FAIL_VERITY_PARAMS_INVALID },
		{ "=32768\"", "=9223372036854775808\"", "hashoffset", FAIL_VERITY_PARAMS_INVALID },
		{ "superblock=false", "superblock=", "neither true nor false",
		  FAIL_VERITY_PARAMS_INVALID },
		{ "=32768\"", "=18446744073709551616\"", "hashoffset", FAIL_VERITY_PARAMS_INVALID },
		{ "=32768\"", "=32768\",\"X-kata.dmverity.hashoffset=32768\"", "twice",
		  FAIL_KEY_REPEATED },
		{ "superblock=false", "superblock=False", "neither true nor false",
		  FAIL_VERITY_PARAMS_INVALID },
		{ "superblock=false", "superblock=true", "blocksize and hashsize",
		  FAIL_VERITY_PARAMS_INVALID },
		{ "no-superblock=false", "blocksize=4096", "blocksize and hashsize",
		  FAIL_VERITY_PARAMS_INVALID },
		{ "no-superblock=false", "blocksize=4096\",\"X-kata.dmverity.hashsize=768", "768",
		  FAIL_VERITY_PARAMS_INVALID },
		{ "no-superblock=false", "blocksize=65536\",\"X-kata.dmverity.hashsize=512",
		  "not a multiple", FAIL_VERITY_PARAMS_INVALID },
		{ "no-superblock=false", "blocksize=512\",\"X-kata.dmverity.hashsize=65536",
		  "not a multiple", FAIL_VERITY_PARAMS_INVALID },
		{ "no-superblock=false", "hashsize=4096", "blocksize and hashsize",
		  FAIL_VERITY_PARAMS_INVALID },
		{ "no-superblock=false", "hashtype=1", "blocksize and hashsize",
		  FAIL_VERITY_PARAMS_INVALID },
		{ "no-superblock=false", "hashtype=2", "", FAIL_VERITY_PARAMS_INVALID },
		{ "no-superblock=false", "algorithm=sha1", "sha1", FAIL_VERITY_PARAMS_INVALID },
		{ "no-superblock=false", "fec=1", "dmverity.fec=1", FAIL_VERITY_PARAMS_INVALID },
		{ "salt=" SALT, "salt=000", "salt=", FAIL_VERITY_PARAMS_INVALID },
		{ "salt=" SALT, "salt=", "salt=", FAIL_VERITY_PARAMS_INVALID },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct describe_given given = { 0 };
		struct err e = { 0 };

		/* Not even where the caller allows it: it contradicts itself. */
		given.volume[0].allow_unverified = true;
		expect_failure(rows[i].into,
			       take(changed(THREE, rows[i].what, rows[i].into), &given, &e), &e,
			       rows[i].code, rows[i].words);
	}
}

static void test_refused(void **state)
{
	static const struct {
		const char *what, *into;
		const char *words;
		enum fail_code code;
	} rows[] = {
		{ "number=1\"", "number=2\"", "two layers are on partition 2",
		  FAIL_DESCRIPTION_INVALID },
		{ "number=1\"", "number=0\"", "not a partition from 1", FAIL_DESCRIPTION_INVALID },
		{ "number=1\"", "number=129\"", "not a partition from 1",
		  FAIL_DESCRIPTION_INVALID },
		{ "number=1\"", "number=4\"", "another one is missing", FAIL_DESCRIPTION_INVALID },
		{ "number=1\"", "number=1\",\"X-kata.partition-number=1\"", "twice",
		  FAIL_KEY_REPEATED },
		{ ",\"X-kata.partition-number=1\"", "", "together", FAIL_DESCRIPTION_INVALID },
		{ "\"X-kata.gpt-partitioned=true\",", "", "together", FAIL_DESCRIPTION_INVALID },
		{ "\"X-kata.gpt-partitioned=true\",\"X-kata.partition-number=1\",", "",
		  "storage 0 has no partition number", FAIL_DESCRIPTION_INVALID },
		{ "gpt-partitioned=true", "gpt-partitioned=yes", "gpt-partitioned=yes",
		  FAIL_DESCRIPTION_INVALID },
		{ "multi-layer=true", "multi-layer=false", "multi-layer=false",
		  FAIL_DESCRIPTION_INVALID },
		{ "\"X-kata.multi-layer=true\",", "", "without X-kata.multi-layer",
		  FAIL_DESCRIPTION_INVALID },
		{ "\"X-kata.overlay-lower\"", "\"X-kata.overlay-lower\",\"X-kata.overlay-upper\"",
		  "something else", FAIL_DESCRIPTION_INVALID },
		{ "\"X-kata.overlay-lower\"", "\"X-kata.overlay-lower\",\"rw\"", "rw",
		  FAIL_DESCRIPTION_INVALID },
		{ "\"X-kata.overlay-lower\"", "\"X-kata.new\"", "X-kata.new",
		  FAIL_DESCRIPTION_INVALID },
		{ "\"X-kata.overlay-lower\"", "\"device=/dev/vdb\"", "device=/dev/vdb",
		  FAIL_DESCRIPTION_INVALID },
		{ "\"X-kata.overlay-lower\"", "\"io.katacontainers.fs-opt.root-hash=00\"",
		  "tardev-snapshotter", FAIL_DESCRIPTION_UNSUPPORTED },
		{ "\"X-kata.overlay-lower\"", "\"X-containerd.dmverity=off\"",
		  "X-containerd.dmverity=off", FAIL_DESCRIPTION_INVALID },
		{ "\"source\":\"02\"", "\"source\":\"03\"", "more than one disk",
		  FAIL_DESCRIPTION_INVALID },
		{ "\"driver\":\"blk\"", "\"driver\":\"erofs.multi-layer\"", "more than one disk",
		  FAIL_DESCRIPTION_INVALID },
		{ "\"fstype\":\"erofs\"", "\"fstype\":\"ext4\"", "not erofs",
		  FAIL_DESCRIPTION_INVALID },
		{ "/run/c/rootfs", "/run/d/rootfs", "more than one mount point",
		  FAIL_DESCRIPTION_UNSUPPORTED },
		{ "/run/c/rootfs", "run", "not an absolute path", FAIL_DESCRIPTION_INVALID },
		{ "\"driver_options\":[]", "\"driver_options\":[\"dm_verity={}\"]",
		  "driver_options, where Kata's agent does not look", FAIL_VERITY_PARAMS_INVALID },
		{ "\"driver_options\":[]", "\"driver_options\":[\"encryption_key=ephemeral\"]",
		  "encryption_key", FAIL_DESCRIPTION_UNSUPPORTED },
		{ "\"driver_options\":[]", "\"driverOptions\":[]", "driverOptions",
		  FAIL_KEY_UNKNOWN },
		{ "\"driver\":\"blk\",", "", "driver", FAIL_DESCRIPTION_INVALID },
		{ "\"source\":\"02\",", "", "\"source\"", FAIL_DESCRIPTION_INVALID },
		{ "\"fstype\":\"erofs\",", "", "\"fstype\"", FAIL_DESCRIPTION_INVALID },
		{ "\"driver_options\":[]", "\"driver_options\":[1]", "", FAIL_DESCRIPTION_INVALID },
		{ "\"driver_options\":[]", "\"driver_options\":\"\"", "driver_options",
		  FAIL_DESCRIPTION_INVALID },
		{ "\"shared\":false", "\"shared\":0", "shared", FAIL_DESCRIPTION_INVALID },
		{ "\"fs_group\":null", "\"fs_group\":7", "fs_group", FAIL_DESCRIPTION_INVALID },
		{ "[" LAYER3, "[" STORAGE("image_guest_pull", "x", "overlay", ""), "by itself",
		  FAIL_DESCRIPTION_INVALID },
		{ "[" LAYER3, "[" STORAGE("virtio-fs", "kataShared", "erofs", PART("1")),
		  "more than one disk", FAIL_DESCRIPTION_INVALID },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err e = { 0 };

		expect_failure(rows[i].into,
			       take(changed(THREE, rows[i].what, rows[i].into), NULL, &e), &e,
			       rows[i].code, rows[i].words);
	}
}

static void test_refused_lists(void **state)
{
	static const struct {
		const char *text, *words;
		enum fail_code code;
	} rows[] = {
		{ "[]", "no volume in it", FAIL_DESCRIPTION_INVALID },
		{ "{\"storages\":[]}", "no volume in it", FAIL_DESCRIPTION_INVALID },
		{ "{\"storages\":[],\"x\":1}", "x", FAIL_KEY_UNKNOWN },
		{ "null", "neither", FAIL_DESCRIPTION_INVALID },
		{ "[[]]", "", FAIL_DESCRIPTION_INVALID },
		{ "[" RW_DISK "]", "no volume in it", FAIL_DESCRIPTION_INVALID },
		{ "[" RW_DISK "," RW_DISK "," ONE("," VERITY("1", "4096")) "]",
		  "two disks to write to", FAIL_DESCRIPTION_INVALID },
		{ "[" ONE("") "," ONE("") "]", "no partition number", FAIL_DESCRIPTION_INVALID },
		{ "[" LAYER3 "," LAYER1 "]", "another one is missing", FAIL_DESCRIPTION_INVALID },
		{ "[" STORAGE("virtio-fs", "kataShared", "erofs", "") "]", "virtio-fs",
		  FAIL_DESCRIPTION_UNSUPPORTED },
		{ "[" STORAGE("blk", "02", "btrfs", "") "]", "btrfs", FAIL_VALUE_INVALID },
		{ "[" STORAGE("blk", "02", "", "") "]", "", FAIL_VALUE_INVALID },
		{ "[" STORAGE("blk", "02", "image_raw_block", "") "]", "image_raw_block",
		  FAIL_VALUE_INVALID },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err e = { 0 };

		expect_failure(rows[i].text, take(rows[i].text, NULL, &e), &e, rows[i].code,
			       rows[i].words);
	}
}

static void test_writable_disk(void **state)
{
	const char *text =
		"[" RW_DISK
		"," ONE(",\"X-kata.mkdir.path={{ mount 0 }}/upper:0755\"," VERITY("1", "4096")) "]";
	struct describe_given given = { 0 };
	struct err e = { 0 };

	(void)state;
	expect_failure("disk", take(text, &given, &e), &e, FAIL_DESCRIPTION_UNSUPPORTED,
		       "the disk 03, a plain one of the host's");
	given.upper = "tmpfs";
	expect_success("disk", take(text, &given, &e), &e);
	assert_int_equal(stack.count, 1);
	expect_superblock(0, 0x11, 4096);
}

static void test_guest_pull(void **state)
{
	static const char text[] =
		"[{\"driver\":\"image_guest_pull\",\"driver_options\":[\"image_guest_pull={"
		"\\\"metadata\\\":{}}\"],\"source\":\"registry/image:1\",\"fstype\":\"overlay\","
		"\"options\":[],\"mount_point\":\"/run/c/rootfs\",\"fs_group\":{\"group_id\":1},"
		"\"shared\":true}]";
	struct describe_given given = { .directories = 0 };
	struct err e = { 0 };

	(void)state;
	expect_failure("none", take(text, &given, &e), &e, FAIL_DESCRIPTION_INVALID,
		       "the directories of its layers must be given");
	given.directories = 2;
	given.directory[0] = "/l/2";
	given.directory[1] = "/l/1";
	expect_success("two", take(text, &given, &e), &e);
	assert_int_equal(stack.count, 0);
	assert_int_equal(stack.directories, 2);
	assert_string_equal(stack.directory[1], "/l/1");
	expect_failure("option", take(changed(text, "image_guest_pull={", "x={"), &given, &e), &e,
		       FAIL_DESCRIPTION_UNSUPPORTED, "driver option");
}

static void test_disks(void **state)
{
	static const struct {
		const char *driver, *source;
		const char *text; /* NULL: refused */
	} rows[] = {
		{ "blk", "02", "PCI=02" },
		{ "blk", "02/01.0", "PCI=02/01.0" },
		{ "blk", "/dev/vdb", "/dev/vdb" },
		{ "erofs.multi-layer", "1f", "PCI=1f" },
		{ "scsi", "1:0", "SCSI=1:0" },
		{ "blk-ccw", "0.0.0005", "CCW=0.0.0005" },
		{ "mmioblk", "/dev/vdc", "/dev/vdc" },
		{ "nvdimm", "/dev/pmem1", "/dev/pmem1" },
		{ "blk", "02/PARTN=1", NULL },
		{ "blk", "20/01", "PCI=20/01" }, /* of a NUMA node's root bus */
		{ "erofs.multi-layer", "40/00/01.0", "PCI=40/00/01.0" },
		{ "blk", "20", NULL },
		{ "blk", "20/20", NULL },
		{ "blk", "", NULL },
		{ "blk", "2a/b/..", NULL },
		{ "blk", "/dev/../etc/passwd", NULL },
		{ "blk", "/dev/vdb/PARTN=2", NULL },
		{ "blk", "/dev/vd\\\\x62", NULL },
		{ "blk", "/dev/disk/by-label/x", NULL },
		{ "blk", "/var/lib/x.erofs", NULL },
		{ "scsi", "1:0/PARTN=1", NULL },
		{ "scsi", "0:0:1:0", NULL },
		{ "scsi", "/dev/sda", NULL },
		{ "blk-ccw", "/dev/vda", NULL },
		{ "mmioblk", "02", NULL },
		{ "nvdimm", "/dev/vda", NULL },
		{ "overlayfs", "none", NULL },
		{ "", "02", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char buf[DEVREF_TEXT_SIZE];
		struct err e = { 0 };
		struct devref ref = { 0 };
		int r = storage_disk(rows[i].driver, rows[i].source, &ref, &e);

		if (rows[i].text) {
			expect_success(rows[i].source, r, &e);
			assert_string_equal(devref_print(&ref, buf, sizeof(buf)), rows[i].text);
		} else if (!r || e.code == FAIL_NONE) {
			fail_msg("%s %s", rows[i].driver, rows[i].source);
		}
	}
}

/* Partitions up to the last rank of a stack, and one more; the disk to write to beside them. */
static void test_limit(void **state)
{
	static char text[65536];
	const struct describe_given given = { .upper = "tmpfs" };

	(void)state;
	for (size_t layers = LAYERS_MAX; layers <= LAYERS_MAX + 2; layers++) {
		size_t used = (size_t)snprintf(text, sizeof(text), "[");
		struct err e = { 0 };

		for (size_t i = layers; i; i--)
			used += (size_t)snprintf(text + used, sizeof(text) - used,
						 STORAGE("scsi", "1:0", "erofs", PART("%zu")) "%s",
						 i,
						 i > 1               ? "," :
						 layers > LAYERS_MAX ? "]" :
								       "," RW_DISK "]");
		if (layers == LAYERS_MAX)
			expect_success("127", take(text, &given, &e), &e);
		else
			expect_failure("more", take(text, &given, &e), &e,
				       layers == LAYERS_MAX + 1 ? FAIL_LIMIT_EXCEEDED :
								  FAIL_DESCRIPTION_INVALID,
				       layers == LAYERS_MAX + 1 ? "127 layers" : "129");
	}
}

static void test_looks_like(void **state)
{
	static const struct {
		const char *text;
		bool is;
	} rows[] = {
		{ THREE, true },
		{ LAYER1, true },
		{ "{\"storages\":[]}", true },
		{ "[{\"type\":\"erofs\"}]", false },
		{ "[]", false },
		{ "{}", false },
		{ "null", false },
		{ "7", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		expect_looks_like(&form_kata_storage, rows[i].text, rows[i].is);
}

/* What Kata's own code wrote. */
static void test_real(void **state)
{
	static const struct {
		const char *folder;
		size_t layers, directories;
		enum volume_proof proof;
		enum fail_code code; /* FAIL_NONE: taken */
	} rows[] = {
		{ "gpt-verity-4096", 3, 0, VOLUME_SUPERBLOCK, FAIL_NONE },
		{ "gpt-tar-index-512", 3, 0, VOLUME_SUPERBLOCK, FAIL_NONE },
		{ "guest-pull", 1, 1, VOLUME_RAW, FAIL_NONE },
		{ "one-layer-rw", 1, 0, VOLUME_RAW, FAIL_NONE },
		{ "one-layer", 0, 0, VOLUME_RAW, FAIL_VERITY_MISSING },
	};
	struct describe_given given = { .upper = "tmpfs", .directory = { "/l/1" } };
	size_t found = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err e = { 0 };
		char path[128], *text;
		int r;

		snprintf(path, sizeof(path), "kata/%s/storages.json", rows[i].folder);
		text = read_fixture(path);
		if (!text)
			continue;
		found++;
		given.directories = rows[i].directories;
		r = take(text, &given, &e);
		free(text);
		if (rows[i].code) {
			expect_failure(path, r, &e, rows[i].code, "");
			continue;
		}
		expect_success(path, r, &e);
		assert_int_equal(stack_layers(&stack), rows[i].layers);
		for (size_t v = 0; v < stack.count; v++)
			assert_int_equal(stack.volume[v].proof, rows[i].proof);
	}
	if (!found)
		skip();
	assert_int_equal(found, ARRAY_SIZE(rows));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_partitions),     cmocka_unit_test(test_single),
		cmocka_unit_test(test_sidecar),        cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_refused_verity), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_refused_lists),  cmocka_unit_test(test_writable_disk),
		cmocka_unit_test(test_guest_pull),     cmocka_unit_test(test_disks),
		cmocka_unit_test(test_limit),          cmocka_unit_test(test_looks_like),
		cmocka_unit_test(test_real),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
