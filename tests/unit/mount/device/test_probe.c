// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/io.h"
#include "mount/device/probe.h"
#include "tests/unit/fake_disk.h"
#include "verity/device.h"

/* The disk of which nothing can be read, or NULL. */
static const char *unreadable;

/* A test's disks are files, which the real one refuses; the rest is product code. */
int device_node_open(int dir, const char *name, unsigned int major, unsigned int minor,
		     struct err *e)
{
	(void)major;
	(void)minor;
	bool fails = unreadable && !strcmp(name, unreadable);

	(void)e;
	return openat(dir, name, (fails ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

static struct temp dev;

static int setup(void **state)
{
	(void)state;
	temp_make(&dev);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	temp_remove(&dev);
	return 0;
}

/* --- the type of a file system ------------------------------------------------ */

static void make_nothing(uint8_t *disk)
{
	(void)disk;
}

static void make_noise(uint8_t *disk)
{
	uint32_t x = 1;

	for (size_t i = 0; i < DISK_SIZE; i++) {
		x = x * 1664525 + 1013904223;
		disk[i] = (uint8_t)(x >> 24);
	}
}

static void make_erofs(uint8_t *disk)
{
	disk_erofs(disk, 0, "", 1);
}

static void make_squashfs(uint8_t *disk)
{
	disk_squashfs(disk, 0);
}

static void make_ext4(uint8_t *disk)
{
	disk_ext4(disk, 0, "", 1);
}

static void make_xfs(uint8_t *disk)
{
	disk_xfs(disk, 0, "", 1);
}

/* ext4 without what makes it ext4 */
static void make_ext2(uint8_t *disk)
{
	disk_ext4(disk, 0, "", 1);
	memset(disk + 1024 + 0x60, 0, 4);
}

static void make_fat(uint8_t *disk)
{
	memcpy(disk, "\xeb\x3c\x90mkfs.fat\0\2\4\1\0\2\0\2\0\x80\xf8\x10\0", 24);
	memcpy(disk + 54, "FAT12   ", 8);
	memcpy(disk + 510, "\x55\xaa", 2);
}

static void make_luks(uint8_t *disk)
{
	memcpy(disk, "LUKS\xba\xbe\0\1", 8);
}

/* As mkfs.erofs --tar=i makes it: libblkid 2.41.5 does not know it. */
static void make_erofs_512(uint8_t *disk)
{
	make_erofs(disk);
	disk[1024 + 8] = 1; /* a checksum */
	disk[1024 + 12] = 9;
}

static void make_erofs_1024(uint8_t *disk)
{
	make_erofs_512(disk);
	disk[1024 + 12] = 10;
}

static void make_erofs_and_squashfs(uint8_t *disk)
{
	disk_squashfs(disk, 0);
	disk_erofs(disk, 0, "", 1);
}

static void make_xfs_and_ext4(uint8_t *disk)
{
	disk_ext4(disk, 0, "", 1);
	disk_xfs(disk, 0, "", 1);
}

/* not at the start: it is data of something else */
static void make_erofs_elsewhere(uint8_t *disk)
{
	disk_erofs(disk, 512, "", 1);
}

static const struct type_row {
	const char *label;
	void (*make)(uint8_t *disk);
	size_t size;
	const char *type; /* NULL: refused */
	const char *words;
} type_rows[] = {
	{ "erofs", make_erofs, DISK_SIZE, "erofs", NULL },
	{ "squashfs", make_squashfs, DISK_SIZE, "squashfs", NULL },
	{ "ext4", make_ext4, DISK_SIZE, "ext4", NULL },
	{ "xfs", make_xfs, DISK_SIZE, "xfs", NULL },
	{ "erofs of 512", make_erofs_512, DISK_SIZE, "erofs", NULL },
	{ "erofs of 1024", make_erofs_1024, DISK_SIZE, "erofs", NULL },
	{ "small erofs", make_erofs, 4096, "erofs", NULL },
	{ "zeros", make_nothing, DISK_SIZE, NULL, "there is no erofs, squashfs, ext4 or xfs" },
	{ "no bytes", make_nothing, 0, NULL, "there is no erofs" },
	{ "one sector", make_nothing, 512, NULL, "there is no erofs" },
	{ "noise", make_noise, DISK_SIZE, NULL, "there is no erofs" },
	{ "cut before its superblock", make_erofs, 1024, NULL, "there is no erofs" },
	{ "elsewhere", make_erofs_elsewhere, DISK_SIZE, NULL, "there is no erofs" },
	/* what is not mounted here is not told apart either */
	{ "ext2", make_ext2, DISK_SIZE, NULL, "there is no erofs" },
	{ "fat", make_fat, DISK_SIZE, NULL, "there is no erofs" },
	{ "luks", make_luks, DISK_SIZE, NULL, "there is no erofs" },
	/* two claims: the host does not choose which one counts */
	{ "erofs and squashfs", make_erofs_and_squashfs, DISK_SIZE, NULL, "more than one" },
	{ "xfs and ext4", make_xfs_and_ext4, DISK_SIZE, NULL, "more than one" },
	/* above 1.44 MB libblkid takes a disk for more than a floppy */
	{ "large erofs", make_erofs, 2 << 20, "erofs", NULL },
	{ "large zeros", make_nothing, 2 << 20, NULL, "there is no erofs" },
	{ "large, erofs and squashfs", make_erofs_and_squashfs, 2 << 20, NULL, "more than one" },
	{ "large, xfs and ext4", make_xfs_and_ext4, 2 << 20, NULL, "more than one" },
};

/* size above DISK_SIZE: the rest is a hole */
static void put_disk(const char *name, void (*make)(uint8_t *disk), size_t size)
{
	uint8_t *disk = calloc(1, DISK_SIZE);
	int fd;

	make(disk);
	put_bytes(dev.fd, name, disk, size < DISK_SIZE ? size : DISK_SIZE);
	free(disk);
	fd = openat(dev.fd, name, O_WRONLY | O_CLOEXEC);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	close(fd);
}

static void test_types(void **state)
{
	size_t fds = open_fds();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(type_rows); i++) {
		const struct type_row *row = &type_rows[i];
		char type[FSTYPE_SIZE] = "untouched";
		struct err e = { 0 };
		int fd, r;

		put_disk("disk", row->make, row->size);
		fd = openat(dev.fd, "disk", O_RDONLY | O_CLOEXEC);
		r = probe_fstype(fd, type, &e);
		if (row->type) {
			expect_success(row->label, r, &e);
			assert_string_equal(type, row->type);
		} else {
			expect_failure(row->label, r, &e, FAIL_FILESYSTEM_UNKNOWN, row->words);
			assert_string_equal(type, "untouched");
		}
		close(fd);
	}
	assert_int_equal(open_fds(), fds);
}

static void test_unreadable(void **state)
{
	char type[FSTYPE_SIZE];
	struct err e = { 0 };
	int fd;

	(void)state;
	assert_true(probe_fstype(-1, type, &e) < 0);
	assert_int_not_equal(e.code, FAIL_NONE);
	put_disk("disk", make_erofs, DISK_SIZE);
	fd = openat(dev.fd, "disk", O_WRONLY | O_CLOEXEC);
	expect_failure("no read", probe_fstype(fd, type, &e), &e, FAIL_DEVICE_READ_FAILED,
		       "read the file system's superblock: Bad file descriptor");
	close(fd);
}

/* Every type that is probed for is one that a plan may name, and it fits. */
static void test_names(void **state)
{
	(void)state;
	for (size_t i = 0; fstypes[i]; i++)
		assert_true(strlen(fstypes[i]) < FSTYPE_SIZE);
}

/* --- ids ------------------------------------------------------------------------- */

static struct blockdev_set set;

static struct blockdev *add(const char *name, const char *disk, unsigned int partition)
{
	struct blockdev *b = &set.dev[set.count++];

	memset(b, 0, sizeof(*b));
	strcpy(b->name, name);
	strcpy(b->disk, disk);
	b->partition = partition;
	b->size_bytes = DISK_SIZE;
	return b;
}

/* Both kinds of ids, as where both are asked for. */
static void probe_all(void)
{
	probe_partitions(dev.fd, &set);
	probe_filesystems(dev.fd, &set);
}

static void make_erofs_with_ids(uint8_t *disk)
{
	disk_erofs(disk, 0, "system", 0xab);
}

static void make_ext4_with_ids(uint8_t *disk)
{
	disk_ext4(disk, 0, "sixteen letters.", 0x5a);
}

static void make_gpt(uint8_t *disk)
{
	static const char *const labels[] = { "root", "a,b c",
					      "012345678901234567890123456789012345" };

	disk_gpt(disk, labels, 3, 0x77);
	disk_erofs(disk, DISK_PARTITION_START(1), "inside", 0xcd);
}

static void make_mbr(uint8_t *disk)
{
	disk_mbr(disk, 0x5a5a5a5a);
}

static void make_broken_gpt(uint8_t *disk)
{
	make_gpt(disk);
	disk[512 + 16] ^= 1; /* the header's checksum */
}

static void test_filesystem_ids(void **state)
{
	struct blockdev *a, *b, *c, *d;
	size_t fds = open_fds();

	(void)state;
	set.count = 0;
	put_disk("vda", make_erofs_with_ids, DISK_SIZE);
	put_disk("vdb", make_ext4_with_ids, DISK_SIZE);
	put_disk("vdc", make_erofs_and_squashfs, DISK_SIZE);
	a = add("vda", "", 0);
	b = add("vdb", "", 0);
	c = add("vdc", "", 0);
	d = add("vdd", "", 0); /* no node */
	probe_all();
	assert_string_equal(a->uuid, "abababab-abab-abab-abab-abababababab");
	assert_string_equal(a->label, "system");
	assert_string_equal(a->partuuid, "");
	assert_string_equal(b->uuid, "5a5a5a5a-5a5a-5a5a-5a5a-5a5a5a5a5a5a");
	assert_string_equal(b->label, "sixteen letters.");
	assert_string_equal(c->uuid, "");
	assert_true(a->filesystem_read && b->filesystem_read && c->filesystem_read);
	assert_false(d->filesystem_read);
	assert_int_equal(open_fds(), fds);
}

/* What has been probed stays as it was found, whatever the host writes later. */
static void test_probed_once(void **state)
{
	struct blockdev *disk, *one, *two;

	(void)state;
	put_disk("vda", make_gpt, DISK_SIZE);
	put_disk("vda1", make_erofs_with_ids, DISK_SIZE);
	put_disk("vda2", make_ext4_with_ids, DISK_SIZE);
	set.count = 0;
	disk = add("vda", "", 0);
	one = add("vda1", "vda", 1);
	two = add("vda2", "vda", 2);
	disk->filesystem_read = one->filesystem_read = one->table_read = true;
	strcpy(disk->label, "old disk");
	strcpy(one->label, "old");
	strcpy(one->partlabel, "older");
	probe_all();
	assert_string_equal(disk->label, "old disk");
	assert_string_equal(one->label, "old");
	assert_string_equal(one->partlabel, "older");
	assert_string_equal(two->label, "sixteen letters.");
	assert_string_equal(two->partlabel, "a,b c");
	assert_true(two->table_read && two->filesystem_read);
}

/* A disk that does not answer yet, its table or a file system, is read again the next time. */
static void test_read_again(void **state)
{
	static const char *const names[] = { "vda", "vda1" };

	(void)state;
	put_disk("vda", make_gpt, DISK_SIZE);
	put_disk("vda1", make_erofs_with_ids, DISK_SIZE);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct blockdev *disk, *one;

		set.count = 0;
		disk = add("vda", "", 0);
		one = add("vda1", "vda", 1);
		unreadable = names[i];
		probe_all();
		unreadable = NULL;
		assert_int_equal(disk->filesystem_read, i == 1);
		assert_int_equal(one->table_read, i == 1);
		assert_int_equal(one->filesystem_read, i == 0);
		assert_string_equal(one->partlabel, i ? "root" : "");
		assert_string_equal(one->label, i ? "" : "system");
		probe_all();
		assert_true(disk->filesystem_read && one->filesystem_read && one->table_read);
		assert_string_equal(one->partlabel, "root");
		assert_string_equal(one->label, "system");
	}
}

static void test_partition_ids(void **state)
{
	struct blockdev *one, *two, *three, *four, *mbr;

	(void)state;
	set.count = 0;
	put_disk("vda", make_gpt, DISK_SIZE);
	put_disk("nvme0n1", make_mbr, DISK_SIZE);
	put_disk("vda1", make_erofs_with_ids, DISK_SIZE);
	three = add("vda3", "vda", 3); /* before its disk, as after an uevent */
	add("vda", "", 0);
	one = add("vda1", "vda", 1);
	two = add("vda2", "vda", 2);
	four = add("vda4", "vda", 4);
	add("nvme0n1", "", 0);
	mbr = add("nvme0n1p1", "nvme0n1", 1); /* p: the disk ends in a digit */
	probe_all();
	assert_string_equal(one->partuuid, "00000077-0000-0000-0000-000000000001");
	assert_string_equal(one->partlabel, "root");
	assert_string_equal(one->label, "system");
	assert_string_equal(two->partuuid, "00000077-0000-0000-0000-000000000002");
	assert_string_equal(two->partlabel, "a,b c");
	assert_string_equal(three->partuuid, "00000077-0000-0000-0000-000000000003");
	assert_string_equal(three->partlabel, "012345678901234567890123456789012345");
	assert_string_equal(four->partuuid, "");
	assert_string_equal(four->partlabel, "");
	assert_string_equal(mbr->partuuid, "5a5a5a5a-01");
	assert_string_equal(mbr->partlabel, "");
}

/* Each kind by itself: what is not asked for is neither read nor known. */
static void test_one_kind(void **state)
{
	struct blockdev *one;

	(void)state;
	put_disk("vda", make_gpt, DISK_SIZE);
	put_disk("vda1", make_erofs_with_ids, DISK_SIZE);
	set.count = 0;
	add("vda", "", 0);
	one = add("vda1", "vda", 1);
	probe_partitions(dev.fd, &set);
	assert_string_equal(one->partlabel, "root");
	assert_string_equal(one->label, "");
	assert_true(one->table_read && !one->filesystem_read);
	set.count = 1;
	one = add("vda1", "vda", 1);
	probe_filesystems(dev.fd, &set);
	assert_string_equal(one->partlabel, "");
	assert_string_equal(one->label, "system");
	assert_true(one->filesystem_read && !one->table_read);
}

static void test_broken_table(void **state)
{
	struct blockdev *one;

	(void)state;
	set.count = 0;
	put_disk("vda", make_broken_gpt, DISK_SIZE);
	put_disk("vda1", make_nothing, DISK_SIZE);
	add("vda", "", 0);
	one = add("vda1", "vda", 1);
	probe_all();
	assert_string_equal(one->partlabel, "");
	assert_true(one->table_read);
}

/* What is known already is not read again; what came later is. */
static void test_once(void **state)
{
	struct blockdev *a, *b, *one, *two;

	(void)state;
	set.count = 0;
	put_disk("vda", make_erofs_with_ids, DISK_SIZE);
	put_disk("vdb", make_erofs_with_ids, DISK_SIZE);
	put_disk("vdc", make_gpt, DISK_SIZE);
	a = add("vda", "", 0);
	a->filesystem_read = true;
	strcpy(a->uuid, "known");
	b = add("vdb", "", 0);
	add("vdc", "", 0);
	one = add("vdc1", "vdc", 1);
	one->table_read = true;
	strcpy(one->partlabel, "known");
	two = add("vdc2", "vdc", 2);
	probe_all();
	assert_string_equal(one->partlabel, "known");
	assert_string_equal(two->partlabel, "a,b c");
	assert_string_equal(a->uuid, "known");
	assert_string_equal(b->label, "system");
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_types),          TEST(test_unreadable),    TEST(test_names),
		TEST(test_filesystem_ids), TEST(test_partition_ids), TEST(test_broken_table),
		TEST(test_probed_once),    TEST(test_once),          TEST(test_read_again),
		TEST(test_one_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
