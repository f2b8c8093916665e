// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Partition tables of ours, read by libblkid and field by field. */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "image-build/disk/gpt.h"
#include "image-build/disk/mbr.h"
#include "image-build/inspect/partitions.h"
#include "lib/io.h"
#include "lib/le.h"

static const uint8_t disk_id[UUID_SIZE] = { 0xd1 };

static void make_gpt(struct gpt *g, uint32_t sector, unsigned int count)
{
	*g = (struct gpt){ .sector_size = sector };
	memcpy(g->uuid, disk_id, sizeof(disk_id));
	for (unsigned int i = 0; i < count; i++) {
		uint8_t uuid[UUID_SIZE] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, (uint8_t)i };
		struct err e = { .text = "" };
		char name[40];

		snprintf(name, sizeof(name), "partition-%u", i);
		assert_non_null(
			gpt_add(g, GPT_LINUX_DATA, uuid, name, 1000 + (1ULL << 20) * i, &e));
	}
	g->entries[0].attributes = GPT_READ_ONLY;
}

static int write_disk(struct temp *temp, const struct gpt *g)
{
	int fd = openat(temp->fd, "disk", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	struct err e = { .text = "" };

	expect_success("write", gpt_write(g, fd, &e), &e);
	return fd;
}

static void expect_partitions(int fd, const struct gpt *g)
{
	static struct partition found[PARTITIONS_MAX];
	struct slice disk = { .fd = fd, .size = gpt_disk_size(g) };
	struct err e = { .text = "" };
	size_t count = 0;

	expect_success("read", partitions_read(&disk, g->sector_size, found, &count, &e), &e);
	assert_int_equal(count, g->count);
	for (size_t i = 0; i < count; i++) {
		char text[UUID_TEXT_SIZE];

		uuid_text(g->entries[i].uuid, text);
		assert_string_equal(found[i].uuid, text);
		assert_string_equal(found[i].type, GPT_LINUX_DATA);
		assert_string_equal(found[i].name, g->entries[i].name);
		assert_int_equal(found[i].offset, g->entries[i].offset);
		assert_int_equal(found[i].size, g->entries[i].size);
		assert_int_equal(found[i].offset % GPT_ALIGNMENT, 0);
	}
}

/* A header is where it says that it is, and both of its checksums are right. */
static void expect_header(int fd, const struct gpt *g, uint64_t own, uint64_t other)
{
	uint8_t header[92], table[128 * 128];
	uint32_t crc;

	assert_int_equal(io_pread(fd, header, sizeof(header), own * g->sector_size),
			 sizeof(header));
	assert_memory_equal(header, "EFI PART", 8);
	assert_int_equal(le_get(header + 24, 8), own);
	assert_int_equal(le_get(header + 32, 8), other);
	assert_int_equal(io_pread(fd, table, sizeof(table),
				  le_get(header + 72, 8) * g->sector_size),
			 sizeof(table));
	assert_int_equal(le_get(header + 88, 4), crc32(0, table, sizeof(table)));
	assert_int_equal(le_get(table + 48, 8), GPT_READ_ONLY);
	crc = (uint32_t)le_get(header + 16, 4);
	le_put(header + 16, 4, 0);
	assert_int_equal(crc, crc32(0, header, sizeof(header)));
	/* What partitions may use ends in front of the copy, and begins behind the first. */
	assert_int_equal(le_get(header + 40, 8), 2 + sizeof(table) / g->sector_size);
	assert_int_equal(le_get(header + 48, 8),
			 gpt_disk_size(g) / g->sector_size - 2 - sizeof(table) / g->sector_size);
}

static void test_tables(void **state)
{
	static const struct {
		uint32_t sector;
		unsigned int count;
	} rows[] = { { 512, 1 }, { 512, 3 }, { 4096, 3 }, { 512, 128 }, { 4096, 128 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct temp temp;
		struct gpt g;
		struct stat st;
		uint64_t last;
		int fd;

		temp_make(&temp);
		make_gpt(&g, rows[i].sector, rows[i].count);
		fd = write_disk(&temp, &g);
		assert_int_equal(fstat(fd, &st), 0);
		assert_int_equal(st.st_size, gpt_disk_size(&g));
		last = (uint64_t)st.st_size / g.sector_size - 1;
		expect_partitions(fd, &g);
		expect_header(fd, &g, 1, last);
		expect_header(fd, &g, last, 1);
		close(fd);
		temp_remove(&temp);
	}
}

/* A firmware that knows nothing of GPT sees one partition over all of it. */
static void test_protective_mbr(void **state)
{
	struct temp temp;
	uint8_t mbr[512];
	struct gpt g;
	int fd;

	(void)state;
	temp_make(&temp);
	make_gpt(&g, 512, 1);
	/* Further than 32 bits count; there is nothing in it. */
	g.entries[0].size = 5ULL << 40;
	fd = write_disk(&temp, &g);
	assert_int_equal(io_pread(fd, mbr, sizeof(mbr), 0), sizeof(mbr));
	assert_int_equal(mbr[450], 0xee);
	assert_int_equal(le_get(mbr + 454, 4), 1);
	assert_int_equal(le_get(mbr + 458, 4), UINT32_MAX);
	assert_int_equal(le_get(mbr + 510, 2), 0xaa55);
	close(fd);
	temp_remove(&temp);
}

static void test_limits(void **state)
{
	static struct gpt g;
	struct err e = { .text = "" };

	(void)state;
	make_gpt(&g, 512, GPT_ENTRIES_MAX);
	assert_null(gpt_add(&g, GPT_LINUX_DATA, disk_id, "", 1, &e));
	assert_int_equal(e.code, FAIL_LIMIT_EXCEEDED);
	assert_non_null(strstr(e.text, "more than 128 partitions"));
	make_gpt(&g, 512, 1);
	assert_null(gpt_add(&g, GPT_LINUX_DATA, disk_id, "", INT64_MAX, &e));
	assert_non_null(strstr(e.text, "too large"));
}

static void test_mbr(void **state)
{
	struct mbr m = { .signature = 0x1234abcd,
			 .count = 2,
			 .entries = { { 1 << 20, 5 << 20 }, { 6 << 20, 512 } } };
	static struct partition found[PARTITIONS_MAX];
	struct slice disk = { .offset = 4096, .size = 8 << 20 };
	struct err e = { .text = "" };
	struct temp temp;
	size_t count = 0;

	(void)state;
	temp_make(&temp);
	disk.fd = openat(temp.fd, "disk", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	expect_success("write", mbr_write(&m, disk.fd, disk.offset, &e), &e);
	assert_int_equal(ftruncate(disk.fd, (off_t)(disk.offset + disk.size)), 0);
	expect_success("read", partitions_read(&disk, 512, found, &count, &e), &e);
	assert_int_equal(count, 2);
	assert_string_equal(found[1].uuid, "1234abcd-02");
	assert_string_equal(found[1].type, "0x83");
	assert_int_equal(found[1].offset, 6 << 20);
	assert_int_equal(found[1].size, 512);
	m.entries[1].offset = 2ULL << 40;
	expect_failure("far away", mbr_write(&m, disk.fd, 0, &e), &e, FAIL_LIMIT_EXCEEDED,
		       "beyond 2 TiB");
	close(disk.fd);
	temp_remove(&temp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_protective_mbr),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_mbr),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
