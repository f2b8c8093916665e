// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mount/fs/erofs.h"
#include "mount/fs/erofs_fits.h"

/* Blocks of 4,096 bytes; the table of devices stands in slot 9 of its unit. */
#define BLOCK 4096
#define TABLE 9
#define SLOTS 3

static void put_le(uint8_t *at, size_t size, uint64_t value)
{
	for (size_t i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/* Bytes of an erofs of so many blocks, in memory. */
static int make_device(uint64_t blocks, const uint8_t uuid[UUID_SIZE], uint64_t size)
{
	uint8_t start[EROFS_SUPERBLOCK_OFFSET + EROFS_SUPERBLOCK_SIZE] = { 0 };
	uint8_t *sb = start + EROFS_SUPERBLOCK_OFFSET;
	int fd = memfd_create("erofs", MFD_CLOEXEC);

	put_le(sb, 4, 0xe0f5e1e2);
	sb[12] = 12;
	put_le(sb + 36, 4, blocks);
	memcpy(sb + 48, uuid, UUID_SIZE);
	assert_int_equal(pwrite(fd, start, sizeof(start), 0), sizeof(start));
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	return fd;
}

static void put_slot(int fd, size_t i, const char *tag, uint64_t blocks)
{
	uint8_t entry[EROFS_DEVICE_SIZE] = { 0 };

	memcpy(entry, tag, strlen(tag));
	put_le(entry + 64, 4, blocks);
	assert_int_equal(pwrite(fd, entry, sizeof(entry), (off_t)((TABLE + i) * EROFS_DEVICE_SIZE)),
			 sizeof(entry));
}

static void put_table(int fd, unsigned int slots)
{
	uint8_t bytes[4];

	put_le(bytes, 4, EROFS_INCOMPAT_DEVICE_TABLE);
	assert_int_equal(pwrite(fd, bytes, 4, EROFS_SUPERBLOCK_OFFSET + 80), 4);
	put_le(bytes, 2, slots);
	put_le(bytes + 2, 2, TABLE);
	assert_int_equal(pwrite(fd, bytes, 4, EROFS_SUPERBLOCK_OFFSET + 86), 4);
}

/* A file system of three slots as mkfs.erofs makes it, and its devices. */
struct set {
	int meta, device[SLOTS + 1];
};

static const uint64_t blocks_of[SLOTS] = { 3, 1, 2 };

static const char *tag_of(size_t i, char tag[33])
{
	snprintf(tag, 33, "%032x", (unsigned int)i + 0xa0);
	return tag;
}

static void make_set(struct set *s)
{
	uint8_t uuid[UUID_SIZE] = { 0 };
	char tag[33];

	s->meta = make_device(1, uuid, BLOCK);
	put_table(s->meta, SLOTS);
	for (size_t i = 0; i < SLOTS; i++) {
		uuid[UUID_SIZE - 1] = (uint8_t)(i + 0xa0);
		s->device[i] = make_device(blocks_of[i], uuid, blocks_of[i] * BLOCK);
		put_slot(s->meta, i, tag_of(i, tag), blocks_of[i]);
	}
	s->device[SLOTS] = dup(s->device[0]);
}

static void close_set(struct set *s)
{
	close(s->meta);
	for (size_t i = 0; i <= SLOTS; i++)
		close(s->device[i]);
}

static void swap(int *a, int *b)
{
	int was = *a;

	*a = *b;
	*b = was;
}

static void test_right(void **state)
{
	struct err e = { 0 };
	struct set s;

	(void)state;
	make_set(&s);
	expect_success("right", erofs_slots_fit(s.meta, s.device, SLOTS, &e), &e);
	/* What stands behind a layer's blocks, a hash tree, is nobody's business. */
	assert_int_equal(ftruncate(s.device[1], 9 * BLOCK), 0);
	expect_success("longer", erofs_slots_fit(s.meta, s.device, SLOTS, &e), &e);
	close_set(&s);
}

static void test_count(void **state)
{
	struct err e = { 0 };
	struct set s;

	(void)state;
	make_set(&s);
	expect_failure("none", erofs_slots_fit(s.meta, s.device, 0, &e), &e, FAIL_MOUNT_FAILED,
		       "3 further devices, and the volume names none");
	expect_failure("few", erofs_slots_fit(s.meta, s.device, SLOTS - 1, &e), &e,
		       FAIL_MOUNT_FAILED, "names 2");
	expect_failure("many", erofs_slots_fit(s.meta, s.device, SLOTS + 1, &e), &e,
		       FAIL_MOUNT_FAILED, "names 4");
	put_table(s.meta, 1);
	expect_failure("one", erofs_slots_fit(s.meta, s.device, 2, &e), &e, FAIL_MOUNT_FAILED,
		       "1 further device, and");
	/* The layer's own file system has no slots at all. */
	expect_failure("layer", erofs_slots_fit(s.device[0], s.device + 1, 1, &e), &e,
		       FAIL_MOUNT_FAILED, "0 further devices, and the volume names 1");
	close_set(&s);
}

static void test_swapped(void **state)
{
	struct err e = { 0 };
	struct set s;

	(void)state;
	make_set(&s);
	swap(&s.device[0], &s.device[2]);
	expect_failure("swapped", erofs_slots_fit(s.meta, s.device, SLOTS, &e), &e,
		       FAIL_DEVICE_TOO_SMALL, "further device 1 has 8192 bytes");
	assert_int_equal(ftruncate(s.device[0], 9 * BLOCK), 0);
	expect_failure("swapped", erofs_slots_fit(s.meta, s.device, SLOTS, &e), &e,
		       FAIL_MOUNT_FAILED,
		       "device 1 has the erofs with UUID 00000000-0000-0000-0000-0000000000a2, and "
		       "slot 1 means 00000000-0000-0000-0000-0000000000a0");
	close_set(&s);
}

/* Each of these mounts, and reads something else than was meant. */
static void test_wrong_devices(void **state)
{
	uint8_t uuid[UUID_SIZE] = { 0 };
	struct err e = { 0 };
	struct set s;

	(void)state;
	make_set(&s);
	uuid[UUID_SIZE - 1] = 0xa1;
	close(s.device[1]);
	s.device[1] = make_device(2, uuid, 2 * BLOCK);
	expect_failure("blocks", erofs_slots_fit(s.meta, s.device, SLOTS, &e), &e,
		       FAIL_MOUNT_FAILED,
		       "device 2 has 2 blocks of 4096 bytes, and slot 2 means 1");
	assert_int_equal(pwrite(s.device[1], "\x0b", 1, EROFS_SUPERBLOCK_OFFSET + 12), 1);
	assert_int_equal(pwrite(s.device[1], "\x01", 1, EROFS_SUPERBLOCK_OFFSET + 36), 1);
	expect_failure("block size", erofs_slots_fit(s.meta, s.device, SLOTS, &e), &e,
		       FAIL_MOUNT_FAILED, "1 blocks of 2048 bytes, and slot 2 means 1 of 4096");
	/* The bare tar of a layer with an index. */
	assert_int_equal(pwrite(s.device[1], "tar!", 4, EROFS_SUPERBLOCK_OFFSET), 4);
	expect_failure("none", erofs_slots_fit(s.meta, s.device, SLOTS, &e), &e, FAIL_MOUNT_FAILED,
		       "device 2 has no erofs, and slot 2 means the one with UUID ");
	assert_int_equal(ftruncate(s.device[1], BLOCK - 1), 0);
	expect_failure("short", erofs_slots_fit(s.meta, s.device, SLOTS, &e), &e,
		       FAIL_DEVICE_TOO_SMALL, "4095");
	close_set(&s);
}

/* The first device ends before the file system, as a wrong superblock of verity has it. */
static void test_first_device(void **state)
{
	struct err e = { 0 };
	struct set s;

	(void)state;
	make_set(&s);
	assert_int_equal(pwrite(s.meta, "\x02", 1, EROFS_SUPERBLOCK_OFFSET + 36), 1);
	expect_failure("short", erofs_slots_fit(s.meta, s.device, SLOTS, &e), &e,
		       FAIL_DEVICE_TOO_SMALL, "the first device has 4096 bytes");
	assert_int_equal(ftruncate(s.meta, (TABLE + SLOTS) * EROFS_DEVICE_SIZE - 1), 0);
	expect_failure("table", erofs_slots_fit(s.meta, s.device, 3, &e), &e, FAIL_DEVICE_TOO_SMALL,
		       "the first device has");
	assert_int_equal(ftruncate(s.meta, 512), 0);
	expect_failure("not an erofs", erofs_slots_fit(s.meta, s.device, 3, &e), &e,
		       FAIL_DEVICE_READ_FAILED, "superblock");
	close_set(&s);
}

/* nydus: the digest of the compressed layer, which no byte of the tar tells. */
static void test_other_tags(void **state)
{
	static const char *const tags[] = {
		"3f79bb7b435b05321651daefd374cdc681dc06faa65e374e38337b88ca046dea",
		"",
		"0000000000000000000000000000000x",
		"000000000000000000000000000000a",
	};
	struct err e = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(tags); i++) {
		struct set s;

		make_set(&s);
		put_slot(s.meta, 0, tags[i], 2);
		assert_int_equal(pwrite(s.device[0], "tar!", 4, EROFS_SUPERBLOCK_OFFSET), 4);
		expect_success(tags[i], erofs_slots_fit(s.meta, s.device, SLOTS, &e), &e);
		put_slot(s.meta, 0, tags[i], 4);
		expect_failure(tags[i], erofs_slots_fit(s.meta, s.device, SLOTS, &e), &e,
			       FAIL_DEVICE_TOO_SMALL, "slot 1 of the erofs means 16384");
		close_set(&s);
	}
}

/* A kernel's pages may have 64 KiB, never 128. */
static void test_kernel(void **state)
{
	struct err e = { 0 };
	struct set s;

	(void)state;
	if (sysconf(_SC_PAGESIZE) == 65536)
		return;
	make_set(&s);
	assert_int_equal(pwrite(s.device[0], "\x10", 1, EROFS_SUPERBLOCK_OFFSET + 12), 1);
	expect_failure("pages", erofs_fits(s.device[0], false, &e), &e, FAIL_KERNEL_FEATURE_MISSING,
		       "blocks of 65536 bytes");
	close_set(&s);
}

/* Numbers that no device has, and a table that is not there. */
static void test_table(void **state)
{
	struct err e = { 0 };
	struct set s;

	(void)state;
	make_set(&s);
	put_slot(s.meta, 0, "", 3);
	/* 2^48 blocks of 64 KiB are more bytes than an offset has bits for. */
	assert_int_equal(pwrite(s.meta, "\x10", 1, EROFS_SUPERBLOCK_OFFSET + 12), 1);
	assert_int_equal(pwrite(s.meta, "\x88", 1, EROFS_SUPERBLOCK_OFFSET + 80), 1);
	assert_int_equal(pwrite(s.meta, "\xff\xff", 2, TABLE * EROFS_DEVICE_SIZE + 72), 2);
	expect_failure("slots", erofs_slots_fit(s.meta, s.device, SLOTS, &e), &e, FAIL_MOUNT_FAILED,
		       "slot 1 of the erofs' table of devices has impossible");
	expect_failure("flat", erofs_fits(s.meta, false, &e), &e, FAIL_MOUNT_FAILED, "names none");
	assert_int_equal(ftruncate(s.meta, TABLE * EROFS_DEVICE_SIZE + 8), 0);
	expect_failure("slots", erofs_slots_fit(s.meta, s.device, SLOTS, &e), &e,
		       FAIL_DEVICE_READ_FAILED, "table of devices");
	expect_failure("flat", erofs_fits(s.meta, false, &e), &e, FAIL_DEVICE_READ_FAILED,
		       "table of devices");
	assert_int_equal(ftruncate(s.meta, EROFS_SUPERBLOCK_OFFSET + EROFS_SUPERBLOCK_SIZE - 1), 0);
	expect_failure("cut", erofs_fits(s.meta, false, &e), &e, FAIL_DEVICE_READ_FAILED,
		       "superblock");
	close_set(&s);
}

/* Files of a real producer, where they are at hand ($SOCLE_FIXTURES). */
static int unpack(const char *name)
{
	const char *fixtures = getenv("SOCLE_FIXTURES");
	char command[512], path[] = "/tmp/erofs-XXXXXX";
	int fd = mkstemp(path), r;

	assert_true(fd >= 0);
	snprintf(command, sizeof(command), "xz -dc '%s/containerd/fsmeta/%s.xz' >%s 2>/dev/null",
		 fixtures ? fixtures : "../shared/fixtures", name, path);
	r = system(command);
	unlink(path);
	if (!r)
		return fd;
	close(fd);
	return -1;
}

/* Its layers in their order, and any two of them the other way round. */
static void test_real(void **state)
{
	int meta = unpack("fsmeta.erofs");
	int devices[] = { unpack("layer1.erofs"), unpack("layer2.erofs"), unpack("layer3.erofs") };
	struct err e = { 0 };

	(void)state;
	if (meta < 0 || devices[2] < 0)
		skip();
	expect_success("real", erofs_slots_fit(meta, devices, 3, &e), &e);
	expect_failure("flat", erofs_fits(meta, false, &e), &e, FAIL_MOUNT_FAILED, "names none");
	swap(&devices[1], &devices[2]);
	expect_failure("swapped", erofs_slots_fit(meta, devices, 3, &e), &e, FAIL_DEVICE_TOO_SMALL,
		       "further device 2");
	swap(&devices[1], &devices[2]);
	swap(&devices[0], &devices[1]);
	expect_failure("swapped", erofs_slots_fit(meta, devices, 3, &e), &e, FAIL_DEVICE_TOO_SMALL,
		       "further device 1");
	swap(&devices[0], &devices[2]);
	expect_failure("swapped", erofs_slots_fit(meta, devices, 3, &e), &e, FAIL_DEVICE_TOO_SMALL,
		       "further device 1");
	close(meta);
	for (size_t i = 0; i < ARRAY_SIZE(devices); i++)
		close(devices[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_right),        cmocka_unit_test(test_count),
		cmocka_unit_test(test_swapped),      cmocka_unit_test(test_wrong_devices),
		cmocka_unit_test(test_first_device), cmocka_unit_test(test_other_tags),
		cmocka_unit_test(test_kernel),       cmocka_unit_test(test_table),
		cmocka_unit_test(test_real),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
