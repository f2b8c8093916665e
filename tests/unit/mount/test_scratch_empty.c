// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/io.h"
#include "mount/fs/ext4_make.h"
#include "mount/scratch_empty.h"

#define SIZE (33554432ULL + 512) /* not of whole blocks */

static const uint8_t random_bytes[EXT4_RANDOM_SIZE];

static int make_disk(void)
{
	int fd = memfd_create("disk", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, SIZE), 0);
	return fd;
}

/* Any byte at either end, and none in the middle. */
static void test_bytes(void **state)
{
	static const struct {
		uint64_t at;
		const char *words; /* NULL: it counts as empty */
	} cases[] = {
		{ 0, "byte 0 is not 0" },
		{ 4095, "byte 4095 is not 0" },
		{ 4096, "byte 4096 is not 0" },
		{ SCRATCH_EDGE_SIZE - 1, "byte 1048575 is not 0" },
		{ SCRATCH_EDGE_SIZE, NULL },
		{ SIZE - SCRATCH_EDGE_SIZE - 1, NULL },
		{ SIZE - SCRATCH_EDGE_SIZE, "byte 32506368 is not 0" },
		{ SIZE - 1, "byte 33554943 is not 0" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		auto_fd int fd = make_disk();
		struct err e = { 0 };
		int r;

		expect_success("empty", scratch_refuse_used(fd, SIZE, &e), &e);
		assert_int_equal(io_pwrite(fd, "\x80", 1, cases[i].at), 0);
		r = scratch_refuse_used(fd, SIZE, &e);
		if (cases[i].words)
			expect_failure(cases[i].words, r, &e, FAIL_SCRATCH_FAILED, cases[i].words);
		else
			expect_success("middle", r, &e);
	}
}

/* What was one before, with whatever is behind its start by now. */
static void test_ours(void **state)
{
	uint8_t block[SCRATCH_MARK_SIZE];
	auto_fd int marked = make_disk(), plain = make_disk();
	struct err e = { 0 };

	(void)state;
	scratch_mark(block);
	assert_int_equal(io_pwrite(marked, block, sizeof(block), 0), 0);
	assert_int_equal(io_pwrite(marked, "x", 1, 5000), 0);
	assert_int_equal(io_pwrite(marked, "x", 1, SIZE - 1), 0);
	expect_success("marked", scratch_refuse_used(marked, SIZE, &e), &e);
	assert_int_equal(io_pwrite(marked, "x", 1, 4095), 0);
	expect_failure("nearly", scratch_refuse_used(marked, SIZE, &e), &e, FAIL_SCRATCH_FAILED,
		       "byte 0 is not 0");
	expect_success("make", ext4_make(plain, SIZE, SCRATCH_LABEL, random_bytes, &e), &e);
	expect_success("plain", scratch_refuse_used(plain, SIZE, &e), &e);
	expect_success("make", ext4_make(plain, SIZE, "mine", random_bytes, &e), &e);
	expect_failure("another's", scratch_refuse_used(plain, SIZE, &e), &e, FAIL_SCRATCH_FAILED,
		       "is not empty");
}

static void test_unreadable(void **state)
{
	auto_fd int fd = make_disk();
	struct err e = { 0 };

	(void)state;
	expect_failure("closed", scratch_refuse_used(-1, SIZE, &e), &e, FAIL_DEVICE_READ_FAILED,
		       "read 4096 bytes at 0");
	assert_int_equal(ftruncate(fd, SIZE - 1), 0);
	expect_failure("short", scratch_refuse_used(fd, SIZE, &e), &e, FAIL_DEVICE_READ_FAILED,
		       "read 4096 bytes at 33550848");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_ours),
		cmocka_unit_test(test_unreadable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
