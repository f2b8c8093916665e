// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "mount/device/blockdev.h"
#include "tests/unit/fake_sysfs.h"

static int setup(void **state)
{
	struct temp *t = malloc(sizeof(*t));

	temp_make(t);
	put_dir(t->fd, "class/block");
	*state = t;
	return 0;
}

static int teardown(void **state)
{
	temp_remove(*state);
	free(*state);
	return 0;
}

#define sysfs_of(state) (((struct temp *)*(state))->fd)

/* --- one device ------------------------------------------------------------ */

#define BYTES(text) text, sizeof(text) - 1
#define X60         "abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwx"

/* Serial numbers as the drivers show them. */
static const struct serial_row {
	const char *file;
	const char *bytes;
	size_t size;
	const char *serial;
} serial_rows[] = {
	/* virtio-blk: 20 bytes with nothing behind them, or fewer */
	{ "serial", BYTES("01234567890123456789"), "01234567890123456789" },
	{ "serial", BYTES("layer-0"), "layer-0" },
	{ "serial", BYTES("layer-0\n"), "layer-0" },
	{ "serial", BYTES("layer 0  \n"), "layer 0" },
	{ "serial", BYTES("  layer-0"), "layer-0" },
	{ "serial", BYTES("layer-0\0\0\0\0\0\0\0\0\0\0\0\0\0"), "layer-0" },
	{ "serial", BYTES("layer\0zero"), "layer" },
	{ "serial", BYTES("\0\0 layer-0"), "layer-0" },
	{ "serial", BYTES(""), "" },
	{ "serial", BYTES("\n"), "" },
	{ "serial", BYTES("    "), "" },
	{ "serial", BYTES("\xff\x01"), "\xff\x01" },
	/* SCSI: page 0x80 is a header of 4 bytes and the number, padded with blanks */
	{ "device/vpd_pg80", BYTES("\0\x80\0\x07layer-0"), "layer-0" },
	{ "device/vpd_pg80", BYTES("\0\x80\0\x14             layer-0"), "layer-0" },
	{ "device/vpd_pg80", BYTES("\0\x80\0\x0alayer-0   "), "layer-0" },
	{ "device/vpd_pg80", BYTES("\0\x80\0\0"), "" },
	{ "device/vpd_pg80", BYTES("\0\x80"), "" },
	{ "device/vpd_pg80", BYTES("\0\x80\0\x40" X60 "WXYZ"), X60 "WXY" },
	/* NVMe: 20 characters, padded, and a newline */
	{ "device/serial", BYTES("layer-0             \n"), "layer-0" },
	{ "device/serial", BYTES("01234567890123456789\n"), "01234567890123456789" },
	{ "model", BYTES("QEMU"), "" },
};

static void test_serials(void **state)
{
	int sysfs = sysfs_of(state);

	for (size_t i = 0; i < ARRAY_SIZE(serial_rows); i++) {
		const struct serial_row *row = &serial_rows[i];
		struct blockdev b;
		char name[16];

		snprintf(name, sizeof(name), "vd%zu", i);
		sysfs_disk(sysfs, name, "254:0", "8");
		sysfs_file(sysfs, name, row->file, row->bytes, row->size);
		assert_int_equal(blockdev_read(sysfs, name, &b), 0);
		assert_string_equal(b.serial, row->serial);
	}
}

/* Two sources: the first that says something counts. */
static void test_serial_of_two_files(void **state)
{
	int sysfs = sysfs_of(state);
	struct blockdev b;

	sysfs_disk(sysfs, "vda", "254:0", "8");
	sysfs_file(sysfs, "vda", "serial", "", 0);
	sysfs_file(sysfs, "vda", "device/serial", "second", 6);
	assert_int_equal(blockdev_read(sysfs, "vda", &b), 0);
	assert_string_equal(b.serial, "second");
	sysfs_file(sysfs, "vda", "serial", "first", 5);
	assert_int_equal(blockdev_read(sysfs, "vda", &b), 0);
	assert_string_equal(b.serial, "first");
}

static void test_disk(void **state)
{
	int sysfs = sysfs_of(state);
	struct blockdev b;

	sysfs_disk(sysfs, "vda", "254:16", "4194312"); /* 2 GiB + 4 KiB */
	assert_int_equal(blockdev_read(sysfs, "vda", &b), 0);
	assert_string_equal(b.name, "vda");
	assert_string_equal(b.disk, "");
	assert_string_equal(b.serial, "");
	assert_int_equal(b.major, 254);
	assert_int_equal(b.minor, 16);
	assert_int_equal(b.partition, 0);
	assert_int_equal(b.size_bytes, (1ULL << 31) + 4096);
	assert_false(b.table_read || b.filesystem_read);
	assert_string_equal(b.uuid, "");
}

/* A partition's disk and number are what sysfs says, whatever the names. */
static void test_partitions(void **state)
{
	static const struct {
		const char *disk, *name, *number;
	} rows[] = {
		{ "vda", "vda1", "1" },          { "vda", "vda10", "10" },
		{ "nvme0n1", "nvme0n1p1", "1" }, { "mmcblk0", "mmcblk0p12", "12" },
		{ "sr0", "sr0p128", "128" },
	};
	int sysfs = sysfs_of(state);

	sysfs_disk(sysfs, "vda", "254:0", "8");
	sysfs_file(sysfs, "vda", "serial", "disk", 4);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct blockdev b;

		sysfs_partition(sysfs, rows[i].disk, rows[i].name, rows[i].number, "259:1", "2048");
		assert_int_equal(blockdev_read(sysfs, rows[i].name, &b), 0);
		assert_string_equal(b.name, rows[i].name);
		assert_string_equal(b.disk, rows[i].disk);
		assert_int_equal(b.partition, atoi(rows[i].number));
		/* a serial number is the whole disk's */
		assert_string_equal(b.serial, "");
	}
}

/* Without a link nobody knows where the device hangs. */
static void test_no_link(void **state)
{
	int sysfs = sysfs_of(state);
	struct blockdev b;

	put_text(sysfs, "class/block/vda/dev", "254:0\n");
	put_text(sysfs, "class/block/vda/size", "8\n");
	assert_int_equal(blockdev_read(sysfs, "vda", &b), -ENOENT);
}

/* A disk's name that has room, to the byte, and one that has none. */
static void test_length_of_a_disk(void **state)
{
	int sysfs = sysfs_of(state);
	char disk[BLOCKDEV_NAME_SIZE + 1];
	struct blockdev b;

	memset(disk, 'd', sizeof(disk));
	disk[BLOCKDEV_NAME_SIZE - 1] = '\0';
	sysfs_partition(sysfs, disk, "p1", "1", "259:1", "8");
	assert_int_equal(blockdev_read(sysfs, "p1", &b), 0);
	assert_string_equal(b.disk, disk);
	disk[BLOCKDEV_NAME_SIZE - 1] = 'd';
	disk[BLOCKDEV_NAME_SIZE] = '\0';
	sysfs_partition(sysfs, disk, "p2", "2", "259:2", "8");
	assert_int_equal(blockdev_read(sysfs, "p2", &b), -ENOENT);
}

/* sysfs has '!' where /dev has '/': what is kept are names in /dev. */
static void test_slashes(void **state)
{
	static struct blockdev_set set;
	int sysfs = sysfs_of(state);
	struct err e = { 0 };

	sysfs_disk(sysfs, "cciss!c0d0", "104:0", "8");
	sysfs_partition(sysfs, "cciss!c0d0", "cciss!c0d0p1", "1", "104:1", "2048");
	assert_int_equal(blockdev_scan(sysfs, &set, &e), 0);
	assert_int_equal(set.count, 2);
	assert_string_equal(set.dev[1].name, "cciss/c0d0p1");
	assert_string_equal(set.dev[1].disk, "cciss/c0d0");
	/* an event has sysfs' name */
	assert_int_equal(blockdev_update(sysfs, "cciss!c0d0p1", &set, &e), 0);
	assert_int_equal(set.count, 2);
}

/* Devices that are not there, not ready, or not the host's; nothing is written. */
static const struct {
	const char *name, *dev, *sectors, *partition;
} absent_rows[] = {
	/* no size yet */
	{ "vda", "254:0", NULL, NULL },
	{ "vda", NULL, "8", NULL },
	{ "vda", "", "8", NULL },
	{ "vda", "254", "8", NULL },
	{ "vda", "254:", "8", NULL },
	{ "vda", ":0", "8", NULL },
	{ "vda", "254:0:1", "8", NULL },
	{ "vda", "254:0 ", "8", NULL },
	{ "vda", "x:y", "8", NULL },
	{ "vda", "0123456789012345678901234567890123456789", "8", NULL },
	{ "vda", "254:0", "", NULL },
	{ "vda", "254:0", "-8", NULL },
	{ "vda", "254:0", "8k", NULL },
	{ "vda", "254:0", "8 8", NULL },
	{ "vda", "254:0", "18014398509481984", NULL }, /* 2^63 bytes */
	{ "vda", "254:0", "36028797018963969", NULL }, /* 2^64 + 512 */
	{ "vda", "254:0", "99999999999999999999", NULL },
	{ "vda1", "254:1", "8", "0" },
	{ "vda1", "254:1", "8", "" },
	{ "vda1", "254:1", "8", "one" },
	{ "vda1", "254:1", "8", "4294967296" },
	{ "loop0", "7:0", "8", NULL },
	{ "ram0", "1:0", "8", NULL },
	{ "zram0", "252:0", "8", NULL },
	{ "dm-0", "253:0", "8", NULL },
	{ "md0", "9:0", "8", NULL },
	{ "md127p1", "9:0", "8", "1" },
	{ "nbd0", "43:0", "8", NULL },
	{ ".vda", "254:0", "8", NULL },
	{ "a-name-of-more-than-31-characters", "254:0", "8", NULL },
};

static void test_absent(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(absent_rows); i++) {
		struct blockdev b = { .name = "untouched" };
		struct temp t;
		size_t fds;

		temp_make(&t);
		if (absent_rows[i].partition)
			sysfs_partition(t.fd, "vda", absent_rows[i].name, absent_rows[i].partition,
					absent_rows[i].dev, absent_rows[i].sectors);
		else
			sysfs_disk(t.fd, absent_rows[i].name, absent_rows[i].dev,
				   absent_rows[i].sectors);
		fds = open_fds();
		if (blockdev_read(t.fd, absent_rows[i].name, &b) != -ENOENT)
			fail_msg("row %zu, %s, is taken", i, absent_rows[i].name);
		assert_string_equal(b.name, "untouched");
		assert_int_equal(open_fds(), fds);
		temp_remove(&t);
	}
}

static void test_names_that_lead_elsewhere(void **state)
{
	static const char *const names[] = { "",     ".",        "..", "../block/vda",
					     "vda/", "vda/vda1", "vdb" };
	int sysfs = sysfs_of(state);

	sysfs_disk(sysfs, "vda", "254:0", "8");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct blockdev b;

		assert_int_equal(blockdev_read(sysfs, names[i], &b), -ENOENT);
	}
}

static void test_largest_size(void **state)
{
	int sysfs = sysfs_of(state);
	struct blockdev b;

	sysfs_disk(sysfs, "vda", "254:0", "18014398509481983");
	assert_int_equal(blockdev_read(sysfs, "vda", &b), 0);
	assert_int_equal(b.size_bytes, (1ULL << 63) - 512);
}

/* --- all devices ------------------------------------------------------------- */

static struct blockdev_set set;

static void test_scan(void **state)
{
	static const char *const expected[] = { "sr0",  "vda",   "vdb",    "vda1",
						"vda2", "vda10", "nvme0n1" };
	int sysfs = sysfs_of(state);
	struct err e = { 0 };
	size_t fds;

	sysfs_disk(sysfs, "nvme0n1", "259:0", "8");
	sysfs_disk(sysfs, "vdb", "254:16", "8");
	sysfs_disk(sysfs, "vda", "254:0", "8");
	sysfs_partition(sysfs, "vda", "vda10", "10", "254:10", "2");
	sysfs_partition(sysfs, "vda", "vda2", "2", "254:2", "2");
	sysfs_partition(sysfs, "vda", "vda1", "1", "254:1", "2");
	sysfs_disk(sysfs, "loop0", "7:0", "8");
	sysfs_disk(sysfs, "dm-0", "253:0", "8");
	sysfs_disk(sysfs, "sr0", "11:0", "0");
	fds = open_fds();
	expect_success("scan", blockdev_scan(sysfs, &set, &e), &e);
	assert_int_equal(open_fds(), fds);
	assert_int_equal(set.count, ARRAY_SIZE(expected));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
		assert_string_equal(set.dev[i].name, expected[i]);
	/* no medium: there, and nothing to read */
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
		assert_int_equal(set.dev[i].empty, !i);
	assert_int_equal(set.dev[0].size_bytes, 0);
}

static void test_scan_without_sysfs(void **state)
{
	struct err e = { 0 };
	struct temp t;
	size_t fds = open_fds();

	(void)state;
	temp_make(&t);
	expect_failure("no class/block", blockdev_scan(t.fd, &set, &e), &e, FAIL_SYSTEM_CALL_FAILED,
		       "open /sys/class/block: No such file");
	temp_remove(&t);
	assert_int_equal(open_fds(), fds);
}

static void test_limit(void **state)
{
	int sysfs = sysfs_of(state);
	struct err e = { 0 };
	char name[16], dev[16];
	size_t fds;

	for (int i = 0; i < 512; i++) {
		snprintf(name, sizeof(name), "sd%d", i);
		snprintf(dev, sizeof(dev), "8:%d", i);
		sysfs_disk(sysfs, name, dev, "8");
	}
	fds = open_fds();
	expect_success("512", blockdev_scan(sysfs, &set, &e), &e);
	assert_int_equal(set.count, 512);
	/* one that is there already changes nothing */
	expect_success("again", blockdev_update(sysfs, "sd7", &set, &e), &e);
	assert_int_equal(set.count, 512);
	sysfs_disk(sysfs, "vda", "254:0", "8");
	expect_failure("one more", blockdev_update(sysfs, "vda", &set, &e), &e, FAIL_LIMIT_EXCEEDED,
		       "there are more than 512 block devices");
	expect_failure("513", blockdev_scan(sysfs, &set, &e), &e, FAIL_LIMIT_EXCEEDED,
		       "there are more than 512 block devices");
	assert_int_equal(open_fds(), fds);
}

static const struct blockdev *find(const char *name)
{
	for (size_t i = 0; i < set.count; i++)
		if (!strcmp(set.dev[i].name, name))
			return &set.dev[i];
	return NULL;
}

static void test_update(void **state)
{
	int sysfs = sysfs_of(state);
	struct err e = { 0 };

	memset(&set, 0, sizeof(set));
	expect_success("none", blockdev_update(sysfs, "vda", &set, &e), &e);
	assert_int_equal(set.count, 0);
	sysfs_disk(sysfs, "vda", "254:0", "8");
	sysfs_disk(sysfs, "vdb", "254:16", "8");
	expect_success("vda", blockdev_update(sysfs, "vda", &set, &e), &e);
	expect_success("vdb", blockdev_update(sysfs, "vdb", &set, &e), &e);
	expect_success("loop", blockdev_update(sysfs, "loop0", &set, &e), &e);
	assert_int_equal(set.count, 2);
	/* another disk under the same name: what was known of the old one is forgotten */
	set.dev[0].filesystem_read = true;
	strcpy(set.dev[0].uuid, "old");
	sysfs_remove(sysfs, "vda");
	sysfs_disk(sysfs, "vda", "254:32", "16");
	expect_success("changed", blockdev_update(sysfs, "vda", &set, &e), &e);
	assert_int_equal(set.count, 2);
	assert_int_equal(find("vda")->size_bytes, 8192);
	assert_int_equal(find("vda")->minor, 32);
	assert_false(find("vda")->filesystem_read);
	assert_string_equal(find("vda")->uuid, "");
	sysfs_remove(sysfs, "vda");
	expect_success("gone", blockdev_update(sysfs, "vda", &set, &e), &e);
	assert_int_equal(set.count, 1);
	assert_null(find("vda"));
	assert_non_null(find("vdb"));
}

/* --- what an operator reads ------------------------------------------------- */

static void test_inventory(void **state)
{
	char text[256];

	(void)state;
	memset(&set, 0, sizeof(set));
	assert_string_equal(blockdev_inventory(&set, text, sizeof(text)), "none");
	set.count = 2;
	set.dev[0] = (struct blockdev){ .name = "vda", .size_bytes = 4096, .serial = "layer-0" };
	set.dev[1] = (struct blockdev){
		.name = "vda1", .size_bytes = 512, .partition = 1, .partuuid = "5a-01"
	};
	assert_string_equal(blockdev_inventory(&set, text, sizeof(text)),
			    "vda(4096 bytes, serial=layer-0) vda1(512 bytes, PARTUUID=5a-01)");
}

/* However many there are and however long their names: never more than fits. */
static void test_inventory_is_bounded(void **state)
{
	(void)state;
	memset(&set, 0, sizeof(set));
	set.count = BLOCKDEV_MAX;
	for (size_t i = 0; i < set.count; i++) {
		struct blockdev *b = &set.dev[i];

		memset(b->name, 'n', sizeof(b->name) - 1);
		memset(b->serial, 's', sizeof(b->serial) - 1);
		memset(b->partuuid, 'p', sizeof(b->partuuid) - 1);
		b->size_bytes = UINT64_MAX;
	}
	for (size_t size = 16; size <= 1000; size++) {
		char *text = malloc(size), more[32];
		size_t shown = 0;

		blockdev_inventory(&set, text, size);
		assert_true(strlen(text) < size);
		for (const char *at = text; (at = strstr(at, "PARTUUID=")); at++)
			shown++;
		snprintf(more, sizeof(more), "%zu more", set.count - shown);
		assert_non_null(strstr(text, more));
		free(text);
	}
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_serials),
		TEST(test_serial_of_two_files),
		TEST(test_disk),
		TEST(test_partitions),
		TEST(test_length_of_a_disk),
		TEST(test_no_link),
		TEST(test_slashes),
		TEST(test_absent),
		TEST(test_names_that_lead_elsewhere),
		TEST(test_largest_size),
		TEST(test_scan),
		TEST(test_scan_without_sysfs),
		TEST(test_limit),
		TEST(test_update),
		TEST(test_inventory),
		TEST(test_inventory_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
