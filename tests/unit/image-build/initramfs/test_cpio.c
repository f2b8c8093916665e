// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

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
	expect_success("write", cpio_write(&l.tree, &s, &e), &e);
	expect_success("finish", sink_finish(&s, &e), &e);
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

/* Every archive counts, packed or not, with zeroes between them. */
static void test_segments(void **state)
{
	static const struct member init[] = { { .name = "init", .data = "x", .mode = 0755 },
					      { .name = NULL } };
	struct bytes b = { .at = NULL };
	struct cpio_facts facts;
	struct err e = { .text = "" };

	(void)state;
	make(members, COMPRESSION_GZIP, &b);
	bytes_add(&b, NULL, 1000);
	make(members, COMPRESSION_NONE, &b);
	make(init, COMPRESSION_NONE, &b);
	make(members, COMPRESSION_ZSTD, &b);
	expect_success("scan", cpio_scan(b.at, b.size, &facts, &e), &e);
	assert_int_equal(facts.count, 4);
	assert_string_equal(facts.segments[0].compression, "gzip");
	assert_string_equal(facts.segments[1].compression, "none");
	assert_string_equal(facts.segments[3].compression, "zstd");
	assert_int_equal(facts.segments[0].entries, 7);
	assert_int_equal(facts.segments[2].entries, 1);
	assert_true(facts.has_init);
	assert_true(facts.segments[1].offset > facts.segments[0].offset + 1000);
	b.size--;
	expect_failure("cut", cpio_scan(b.at, b.size, &facts, &e), &e, FAIL_VALUE_INVALID,
		       "cut short");
	bytes_add(&b, "x", 1);
	expect_failure("tail", cpio_scan(b.at, b.size, &facts, &e), &e, FAIL_VALUE_INVALID, "");
	bytes_free(&b);
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
		cmocka_unit_test(test_bytes),      cmocka_unit_test(test_segments),
		cmocka_unit_test(test_every_byte), cmocka_unit_test(test_elf),
		cmocka_unit_test(test_elf_arch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
