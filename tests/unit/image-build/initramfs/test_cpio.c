// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image-build/initramfs/cpio.h"
#include "image-build/initramfs/cpio_scan.h"
#include "image-build/kernel/elf.h"
#include "tests/unit/image-build/image_tar.h"

static void read_all(int fd, struct bytes *b)
{
	char buf[4096];
	ssize_t n;

	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		bytes_add(b, buf, (size_t)n);
}

/* The members as a cpio archive, packed or not. */
static void make(const struct member *members, enum compression compression, struct bytes *ret)
{
	struct bytes none = { .at = NULL };
	struct err e = { .text = "" };
	struct layer l;
	struct sink s;
	int fd = bytes_open(&none);

	expect_success("read", read_members(&l, members, &e), &e);
	expect_success("open", sink_open(&s, fd, compression, &e), &e);
	expect_success("write", cpio_write(&l.tree, NULL, &s, &e), &e);
	expect_success("finish", sink_finish(&s, 1, &e), &e);
	sink_close(&s);
	layer_free(&l);
	read_all(fd, ret);
	close(fd);
}

static const struct member members[] = {
	{ .name = "b", .data = "text", .mode = 0640, .uid = 77, .mtime = 12345 },
	{ .name = "a/", .type = '5', .mode = 0700 },
	{ .name = "a/link", .type = '1', .link = "b" },
	{ .name = "a/e" },
	{ .name = "a/d/", .type = '5' },
	{ .name = "c", .type = '3', .mode = 0600, .major = 5, .minor = 1 },
	{ .name = "s", .type = '2', .link = "b" },
	{ .name = NULL },
};

/* Inodes from 1, links counted, nothing of owners and times. */
static const char expected[] = "07070100000001000041C000000000000000000000000300000000000"
			       "00000000000000000000000000000000000000000000200000000a\0"
			       "07070100000002000041ED00000000000000000000000200000000000"
			       "00000000000000000000000000000000000000000000400000000a/d\0\0\0"
			       "07070100000003000081A400000000000000000000000100000000000"
			       "00000000000000000000000000000000000000000000400000000a/e\0\0\0"
			       "07070100000004000081A000000000000000000000000200000000000"
			       "00000000000000000000000000000000000000000000700000000a/link\0\0\0\0"
			       "07070100000004000081A000000000000000000000000200000000000"
			       "00004000000000000000000000000000000000000000200000000b\0text"
			       "070701000000050000218000000000000000000000000100000000000"
			       "00000000000000000000000000005000000010000000200000000c\0";

static void test_bytes(void **state)
{
	struct member some[ARRAY_SIZE(members)];
	struct bytes b = { .at = NULL };

	(void)state;
	memcpy(some, members, sizeof(some));
	some[6].name = NULL;
	make(some, COMPRESSION_NONE, &b);
	assert_true(b.size > sizeof(expected) && b.size % 512 == 0);
	assert_memory_equal(b.at, expected, sizeof(expected) - 1);
	assert_memory_equal(b.at + sizeof(expected) - 1 + 110, "TRAILER!!!", 11);
	bytes_free(&b);
}

/* The mark of a whole archive is its last entry, whatever its name. */
static void test_last(void **state)
{
	struct bytes none = { .at = NULL }, b = { .at = NULL };
	struct err e = { .text = "" };
	struct layer l;
	struct sink s;
	int fd = bytes_open(&none);
	const uint8_t *c, *e_;

	(void)state;
	expect_success("read", read_members(&l, members, &e), &e);
	expect_success("open", sink_open(&s, fd, COMPRESSION_NONE, &e), &e);
	expect_success("write", cpio_write(&l.tree, tree_find(&l.tree, "a/e"), &s, &e), &e);
	expect_success("finish", sink_finish(&s, 1, &e), &e);
	sink_close(&s);
	layer_free(&l);
	read_all(fd, &b);
	close(fd);
	e_ = memmem(b.at, b.size, "a/e", 4);
	c = memmem(b.at, b.size, "0000s\0", 6);
	assert_true(c && e_ && c < e_);
	assert_null(memmem(e_ + 1, b.size - (size_t)(e_ + 1 - b.at), "a/e", 4));
	bytes_free(&b);
}

static const struct member init[] = { { .name = "init", .data = "x", .mode = 0755 },
				      { .name = NULL } };

static void pad(struct bytes *b)
{
	bytes_add(b, NULL, (4 - b->size % 4) % 4);
}

/* Every archive counts, packed or not, with zeroes between them. */
static void test_segments(void **state)
{
	struct bytes b = { .at = NULL };
	struct cpio_facts facts;
	struct err e = { .text = "" };

	(void)state;
	make(members, COMPRESSION_GZIP, &b);
	bytes_add(&b, NULL, 1000);
	pad(&b);
	make(members, COMPRESSION_NONE, &b);
	make(init, COMPRESSION_NONE, &b);
	make(members, COMPRESSION_ZSTD, &b);
	/* Behind a packed one another packed one may begin anywhere. */
	make(init, COMPRESSION_GZIP, &b);
	expect_success("scan", cpio_scan(b.at, b.size, &facts, &e), &e);
	assert_int_equal(facts.count, 5);
	assert_int_equal(facts.segments[0].compression, COMPRESSION_GZIP);
	assert_int_equal(facts.segments[1].compression, COMPRESSION_NONE);
	assert_int_equal(facts.segments[3].compression, COMPRESSION_ZSTD);
	assert_int_equal(facts.segments[0].entries, 7);
	assert_int_equal(facts.segments[2].entries, 1);
	assert_true(facts.has_init);
	assert_true(facts.segments[1].offset > facts.segments[0].offset + 1000);
	b.size--;
	expect_failure("cut", cpio_scan(b.at, b.size, &facts, &e), &e, FAIL_VALUE_INVALID,
		       "its gzip stream is cut short");
	bytes_free(&b);
}

/* What a row is made of: an archive, and what stands behind it. */
struct row {
	const char *label;
	enum compression packed;
	const char *between;
	size_t zeroes; /* behind it; 9: up to a multiple of four, and then one more */
	bool plain;    /* a plain one comes then */
	const char *behind, *words;
};

static void make_row(const struct row *row, struct bytes *b)
{
	make(members, row->packed, b);
	bytes_add(b, row->between, strlen(row->between));
	if (row->zeroes == 9)
		pad(b);
	bytes_add(b, NULL, row->zeroes % 8);
	if (row->plain)
		make(init, COMPRESSION_NONE, b);
	bytes_add(b, row->behind, strlen(row->behind));
}

/* Where the kernel stops, or passes over an entry without a word. */
static void test_where_the_kernel_stops(void **state)
{
	static const char unaligned[] = "does not begin at a multiple of 4";
	static const struct row rows[] = {
		{ "plain behind gzip", COMPRESSION_GZIP, "", 9, true, "", unaligned },
		{ "plain behind zstd", COMPRESSION_ZSTD, "", 9, true, "", unaligned },
		{ "plain behind plain", COMPRESSION_NONE, "", 1, true, "", unaligned },
		{ "packed behind plain", COMPRESSION_NONE, "", 2, false, "\x1f\x8b\x08",
		  unaligned },
		{ "junk behind packed", COMPRESSION_GZIP, "junk", 0, false, "",
		  "neither cpio nor anything packed" },
		{ "junk behind plain", COMPRESSION_NONE, "junk", 0, false, "",
		  "neither cpio nor anything packed" },
		{ "a header cut short", COMPRESSION_ZSTD, "", 0, false, "\x28\xb5\x2f\xfd",
		  "its zstd stream is cut short" },
		{ "not newc", COMPRESSION_NONE, "0707070", 0, false, "", "cut short" },
		{ "lz4 in frames", COMPRESSION_NONE, "\x04\x22\x4d\x18", 0, false, "",
		  "its lz4 stream is cut short" },
		{ "bzip2", COMPRESSION_NONE, "BZh9", 0, false, "", "bzip2" },
		{ "bootconfig", COMPRESSION_NONE, "#BOOTCONFIG\n", 0, false, "",
		  "a boot configuration" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bytes b = { .at = NULL };
		struct cpio_facts facts;
		struct err e = { .text = "" };
		int r;

		make_row(&rows[i], &b);
		r = cpio_scan(b.at, b.size, &facts, &e);
		expect_failure(rows[i].label, r, &e, FAIL_VALUE_INVALID, rows[i].words);
		if (r != -EINVAL)
			fail_msg("%s: %d", rows[i].label, r);
		bytes_free(&b);
	}
}

/* A header's fields, as hex digits at their offsets, in the archive of init. */
static void test_entries_that_get_lost(void **state)
{
	static const struct {
		size_t at;
		const char *digits, *words;
	} rows[] = {
		{ 0, "070707", "cpio -H newc" },
		{ 0, "070703", "no cpio header" },
		{ 0, "070702", "another checksum" },
		{ 14, "000041ED", "with content that is not a file" },
		{ 14, "0000ZZED", "not a number" },
		{ 94, "00001001", "more than 4096" },
		{ 94, "00000000", "no byte" },
		{ 94, "00000004", "a cpio name without an end" },
		{ 54, "7FFFFFFF", "cut short" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bytes b = { .at = NULL };
		struct cpio_facts facts;
		struct err e = { .text = "" };

		make(init, COMPRESSION_NONE, &b);
		memcpy(b.at + rows[i].at, rows[i].digits, strlen(rows[i].digits));
		expect_failure(rows[i].digits, cpio_scan(b.at, b.size, &facts, &e), &e,
			       FAIL_VALUE_INVALID, rows[i].words);
		/* The sum of the content's bytes, of which there is one. */
		memcpy(b.at + 102, "00000078", 8);
		if (!strcmp(rows[i].digits, "070702"))
			expect_success("sum", cpio_scan(b.at, b.size, &facts, &e), &e);
		bytes_free(&b);
	}
}

/* Ours says where it begins and where it ends; a later one takes the place of an earlier. */
static void test_marks(void **state)
{
	static const struct {
		const char *begun, *complete, *begun_2;
		bool whole;
	} rows[] = {
		{ NULL, NULL, NULL, true }, { "a", "a", NULL, true }, { "a", NULL, NULL, false },
		{ "a", "b", NULL, false },  { "a", "a", "b", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct member some[] = { { .name = "etc/socle/begun", .data = rows[i].begun },
					 { .name = "etc/socle/complete", .data = rows[i].complete },
					 { .name = NULL } };
		struct member again[] = { { .name = "etc/socle/begun", .data = rows[i].begun_2 },
					  { .name = NULL } };
		struct bytes b = { .at = NULL };
		struct cpio_facts facts;
		struct err e = { .text = "" };
		int r;

		if (!rows[i].complete)
			some[1].name = NULL;
		make(rows[i].begun ? some : init, COMPRESSION_NONE, &b);
		if (rows[i].begun_2)
			make(again, COMPRESSION_NONE, &b);
		r = cpio_scan(b.at, b.size, &facts, &e);
		if (rows[i].whole)
			expect_success("whole", r, &e);
		else
			expect_failure("cut", r, &e, FAIL_VALUE_INVALID,
				       "/etc/socle/complete, is missing");
		bytes_free(&b);
	}
}

/* What is packed need not be an initramfs, and that is no damage of one. */
static void test_something_else(void **state)
{
	static const struct {
		enum compression compression;
		const char *text;
	} rows[] = {
		{ COMPRESSION_GZIP, "text" },
		{ COMPRESSION_ZSTD, "text" },
		{ COMPRESSION_NONE, "BZh9" },
		{ COMPRESSION_NONE, "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bytes none = { .at = NULL }, b = { .at = NULL };
		struct cpio_facts facts;
		struct err e = { .text = "" };
		struct sink s;
		int fd = bytes_open(&none);

		expect_success("open", sink_open(&s, fd, rows[i].compression, &e), &e);
		expect_success("put", sink_put(&s, rows[i].text, strlen(rows[i].text), &e), &e);
		expect_success("finish", sink_finish(&s, 1, &e), &e);
		sink_close(&s);
		read_all(fd, &b);
		close(fd);
		assert_int_equal(cpio_scan(b.at, b.size, &facts, &e), -ENODATA);
		bytes_free(&b);
	}
}

/* Whatever one byte is changed to, there is an answer. */
static void test_every_byte(void **state)
{
	struct bytes b = { .at = NULL };

	(void)state;
	make(members, COMPRESSION_NONE, &b);
	for (size_t i = 0; i < b.size; i++) {
		struct cpio_facts facts;
		uint8_t before = b.at[i];
		uint8_t *exact = malloc(b.size);

		b.at[i] = before == 'F' ? 0 : 'F';
		/* A buffer of its own size: one byte too far is seen. */
		memcpy(exact, b.at, b.size);
		(void)cpio_scan(exact, b.size, &facts, NULL);
		(void)cpio_scan(exact, i, &facts, NULL);
		free(exact);
		b.at[i] = before;
	}
	bytes_free(&b);
}

/* What the kernel could not start as /init. */
static void test_elf(void **state)
{
	static const struct {
		const char *path, *words;
	} files[] = {
		{ "/proc/self/exe", "PT_INTERP" },
		{ "/proc/self/status", "not an ELF" },
		{ "/dev/null", "not an ELF" },
	};
	struct err e = { .text = "" };
	int fd;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		fd = open(files[i].path, O_RDONLY | O_CLOEXEC);
		assert_true(fd >= 0);
		expect_failure(files[i].path, elf_check_static(fd, files[i].path, &e), &e,
			       FAIL_VALUE_INVALID, files[i].words);
		close(fd);
	}
	fd = open("/bin/busybox", O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		expect_success("busybox", elf_check_static(fd, "busybox", &e), &e);
	close(fd);
}

/* The first 20 bytes of what musl's compiler makes for each machine. */
static void test_elf_arch(void **state)
{
	static const struct {
		uint8_t class, data, machine[2];
		enum kernel_arch arch;
	} files[] = {
		{ 2, 1, { 62, 0 }, ARCH_X86_64 },   { 2, 2, { 0, 22 }, ARCH_S390X },
		{ 2, 1, { 183, 0 }, ARCH_AARCH64 }, { 2, 1, { 22, 0 }, ARCH_UNKNOWN },
		{ 2, 2, { 0, 183 }, ARCH_UNKNOWN }, { 1, 1, { 62, 0 }, ARCH_UNKNOWN },
		{ 1, 2, { 0, 22 }, ARCH_UNKNOWN },  { 2, 1, { 243, 0 }, ARCH_UNKNOWN },
		{ 2, 1, { 62, 1 }, ARCH_UNKNOWN },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		uint8_t header[ELF_ARCH_BYTES] = {
			0x7f,
			'E',
			'L',
			'F',
			files[i].class,
			files[i].data,
			1,
			[16] = 2,
			[18] = files[i].machine[0],
			files[i].machine[1],
		};

		assert_int_equal(elf_arch(header, sizeof(header)), files[i].arch);
		assert_int_equal(elf_arch(header, sizeof(header) - 1), ARCH_UNKNOWN);
		header[0] = 0;
		assert_int_equal(elf_arch(header, sizeof(header)), ARCH_UNKNOWN);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_last),
		cmocka_unit_test(test_segments),
		cmocka_unit_test(test_where_the_kernel_stops),
		cmocka_unit_test(test_entries_that_get_lost),
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_something_else),
		cmocka_unit_test(test_every_byte),
		cmocka_unit_test(test_elf),
		cmocka_unit_test(test_elf_arch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
