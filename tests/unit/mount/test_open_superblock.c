// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Opening a volume whose geometry the host's superblock says. */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "mount/open.h"
#include "tests/unit/fake_verity.h"
#include "verity/device.h"

#define SUPERBLOCK_AT (129 * 4096)
#define HASH          "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static struct volume volume;
static struct device_wish wishes[VOLUME_DEVICES_MAX];
static const char *device_file;

int device_node_open(int dev, const char *path, unsigned int major, unsigned int minor,
		     struct err *e)
{
	int fd = openat(dev, device_file, O_RDONLY | O_CLOEXEC);

	assert_string_equal(path, "/dev/vda");
	assert_int_equal(major, 254);
	assert_int_equal(minor, 16);
	return fd < 0 ? err_errno(e, FAIL_DEVICE_READ_FAILED, "open %s", path) : fd;
}

static void make_volume(uint64_t disk_bytes)
{
	struct err e = { 0 };

	volume_init(&volume, "layer-3", "socle-layer-3");
	volume.proof = VOLUME_SUPERBLOCK;
	volume.superblock_offset_bytes = SUPERBLOCK_AT;
	volume.verity.ignore_zero_blocks = true;
	volume.verity.fec_roots = 3;
	volume.verity.fec_start_bytes = 8192;
	assert_int_equal(verity_params_set(&volume.verity, "root_hash", HASH, &e), 0);
	memset(wishes, 0, sizeof(wishes));
	strcpy(wishes[0].found.name, "vda");
	wishes[0].found.major = 254;
	wishes[0].found.minor = 16;
	wishes[0].found.size_bytes = disk_bytes;
}

/* verity/superblock.h's bytes for 129 blocks, at their place. */
static void put_superblock(uint8_t *disk)
{
	uint8_t *at = disk + SUPERBLOCK_AT;

	memcpy(at, "verity\0\0\1\0\0\0\1", 13);
	strcpy((char *)at + 32, "sha256");
	at[65] = at[69] = 0x10;
	at[72] = 129;
	at[80] = 2;
	memcpy(at + 88, "\x12\x34", 2);
}

/* What the description says beside where it stands. */
enum said { SAID_NOTHING, SAID_BEHIND_DATA, SAID_SALT, SAID_LONGER_SALT, SAID_OTHER_SALT };

static void say(enum said said)
{
	static const char *const salts[] = {
		[SAID_SALT] = "1234",
		[SAID_LONGER_SALT] = "123400",
		[SAID_OTHER_SALT] = "1235",
	};
	struct err e = { 0 };

	volume.tree_follows_data = said == SAID_BEHIND_DATA;
	volume.salt_given = said >= SAID_SALT;
	if (volume.salt_given)
		assert_int_equal(verity_params_set(&volume.verity, "salt", salts[said], &e), 0);
}

static const struct superblock_row {
	const char *label;
	size_t file_bytes; /* what can be read; the host says more */
	size_t at;         /* of one byte that differs; 0: none does */
	uint64_t disk_bytes;
	enum fail_code code;
	const char *words;
	enum said said;
} superblock_rows[] = {
	{ "whole", 1 << 20, 0, 1 << 20, FAIL_NONE, "", SAID_NOTHING },
	{ "where the data end", 1 << 20, 0, 1 << 20, FAIL_NONE, "", SAID_BEHIND_DATA },
	{ "of less data", 1 << 20, SUPERBLOCK_AT + 72, 1 << 20, FAIL_VERITY_PARAMS_INVALID,
	  "has 126 data blocks of 4096 bytes, and stands at 528384, where they do not end",
	  SAID_BEHIND_DATA },
	{ "salt", 1 << 20, 0, 1 << 20, FAIL_NONE, "", SAID_SALT },
	{ "longer salt", 1 << 20, 0, 1 << 20, FAIL_VERITY_PARAMS_INVALID, "another salt",
	  SAID_LONGER_SALT },
	{ "another salt", 1 << 20, 0, 1 << 20, FAIL_VERITY_PARAMS_INVALID, "another salt",
	  SAID_OTHER_SALT },
	{ "Chromium OS's type", 1 << 20, SUPERBLOCK_AT + 12, 1 << 20, FAIL_VERITY_PARAMS_INVALID,
	  "verity superblock: hash type ", SAID_NOTHING },
	{ "to its last byte", SUPERBLOCK_AT + 512, 0, 1 << 20, FAIL_NONE, "", SAID_NOTHING },
	{ "cut", SUPERBLOCK_AT + 511, 0, 1 << 20, FAIL_DEVICE_TOO_SMALL,
	  "vda has 1048576 bytes and its superblock ends at 528896", SAID_NOTHING },
	{ "cut before", SUPERBLOCK_AT - 1, 0, 1 << 20, FAIL_DEVICE_TOO_SMALL,
	  "its superblock ends at", SAID_NOTHING },
	{ "none", 1 << 20, SUPERBLOCK_AT, 1 << 20, FAIL_VERITY_PARAMS_INVALID,
	  "/dev/vda has no verity superblock", SAID_NOTHING },
	{ "version", 1 << 20, SUPERBLOCK_AT + 8, 1 << 20, FAIL_VERITY_PARAMS_INVALID,
	  "verity superblock: version", SAID_NOTHING },
	{ "data blocks beyond itself", 1 << 20, SUPERBLOCK_AT + 75, 1 << 20,
	  FAIL_VERITY_PARAMS_INVALID, "is inside the data", SAID_NOTHING },
	{ "tree beyond the end", 1 << 20, 0, SUPERBLOCK_AT + 4096, FAIL_DEVICE_TOO_SMALL,
	  "its hash tree ends at", SAID_NOTHING },
};

static void open_superblock(const struct superblock_row *row, struct temp *t, uint8_t *disk)
{
	struct open_volume open = { .volume = NULL };
	struct err e = { 0 };
	size_t fds = open_fds();
	int r;

	make_volume(row->disk_bytes);
	say(row->said);
	disk[row->at] ^= row->at ? 0xff : 0;
	put_bytes(t->fd, "disk", disk, row->file_bytes);
	disk[row->at] ^= row->at ? 0xff : 0;
	fake_verity_reset(0, 0);
	r = volume_open(&volume, NULL, wishes, -1, &open, &e);
	assert_int_equal(open_fds(), fds);
	if (row->code != FAIL_NONE) {
		expect_failure(row->label, r, &e, row->code, row->words);
		assert_string_equal(e.volume, "layer-3");
		assert_int_equal(fake_sys.calls, 0);
		return;
	}
	expect_success(row->label, r, &e);
	assert_non_null(strstr(fake_sys.log, "verity_open socle-layer-3 data=254:16 hash=254:16 "
					     "fec=0:0 blocks=129\n"));
	assert_int_equal(open.params.hash_start_block, 130);
	assert_int_equal(open.params.salt_size, 2);
	assert_true(open.params.ignore_zero_blocks);
	assert_int_equal(open.params.fec_roots, 3);
	assert_int_equal(open.params.fec_start_bytes, 8192);
	assert_int_equal(open.params.root_hash_size, 32);
	assert_memory_equal(open.params.root_hash, volume.verity.root_hash, 32);
}

static void test_superblock(void **state)
{
	uint8_t *disk = calloc(1, 1 << 20);
	static const struct superblock_row absent = {
		"absent", 0, 0, 1 << 20, FAIL_DEVICE_READ_FAILED, "open /dev/vda", SAID_NOTHING
	};
	static const struct superblock_row folder = {
		"not readable",
		0,
		0,
		1 << 20,
		FAIL_DEVICE_READ_FAILED,
		"read the superblock of /dev/vda: Is a directory",
		SAID_NOTHING,
	};
	char path[128];
	struct temp t;

	(void)state;
	temp_make(&t);
	put_superblock(disk);
	snprintf(path, sizeof(path), "%s/disk", t.path);
	device_file = path;
	for (size_t i = 0; i < ARRAY_SIZE(superblock_rows); i++)
		open_superblock(&superblock_rows[i], &t, disk);
	device_file = "/nowhere";
	open_superblock(&absent, &t, disk);
	device_file = t.path;
	open_superblock(&folder, &t, disk);
	device_file = NULL;
	free(disk);
	temp_remove(&t);
}

/* Sizes and number at the end of the disk; a disk without any, and one that is too short. */
static void test_trailer(void **state)
{
	static const struct {
		uint64_t disk_bytes;
		enum fail_code code;
		const char *words;
	} rows[] = {
		{ 1 << 20, FAIL_NONE, "" },
		{ (1 << 20) - 512, FAIL_VERITY_PARAMS_INVALID, "the trailer has block sizes of 0" },
		{ (1 << 20) + 512, FAIL_DEVICE_READ_FAILED, "read the trailer of /dev/vda" },
		{ 511, FAIL_DEVICE_TOO_SMALL, "vda has 511 bytes and its trailer needs 512" },
	};
	uint8_t *disk = calloc(1, 1 << 20);
	char path[128];
	struct temp t;

	(void)state;
	temp_make(&t);
	memcpy(disk + (1 << 20) - 512, "\0\x10\0\0\0\x10\0\0\x81", 9);
	put_bytes(t.fd, "disk", disk, 1 << 20);
	snprintf(path, sizeof(path), "%s/disk", t.path);
	device_file = path;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct open_volume open = { .volume = NULL };
		struct err e = { 0 };
		int r;

		make_volume(rows[i].disk_bytes);
		volume.trailer = true;
		volume.verity.fec_roots = 0;
		volume.verity.fec_start_bytes = 0;
		fake_verity_reset(0, 0);
		r = volume_open(&volume, NULL, wishes, -1, &open, &e);
		if (rows[i].code) {
			expect_failure("trailer", r, &e, rows[i].code, rows[i].words);
			assert_int_equal(fake_sys.calls, 0);
			continue;
		}
		expect_success("trailer", r, &e);
		assert_int_equal(open.params.data_blocks, 129);
		assert_int_equal(open.params.hash_start_block, 129);
		assert_int_equal(open.params.salt_size, 32);
		assert_memory_equal(open.params.root_hash, volume.verity.root_hash, 32);
	}
	device_file = NULL;
	free(disk);
	temp_remove(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_superblock),
		cmocka_unit_test(test_trailer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
