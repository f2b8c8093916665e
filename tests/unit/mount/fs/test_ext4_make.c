// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/io.h"
#include "mount/fs/ext4_make.h"

#define MIB   1048576ULL
#define GROUP (128 * MIB)

static const uint8_t random_bytes[EXT4_RANDOM_SIZE] = "0123456789abcdefGHIJKLMNOPQRSTUV";

/* A disk in memory, which e2fsck can open as well. */
static int make_disk(uint64_t size_bytes)
{
	int fd = memfd_create("disk", 0);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)size_bytes), 0);
	return fd;
}

static void make(const char *label, int fd, uint64_t size_bytes)
{
	struct err e = { 0 };

	expect_success(label, ext4_make(fd, size_bytes, "socle-scratch", random_bytes, &e), &e);
}

/* What e2fsprogs has to say: nothing may be wrong, and nothing missing. */
static void expect_clean(const char *label, int fd)
{
	char path[40];
	int status;
	pid_t child;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	child = fork();
	if (!child) {
		int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execl("/usr/sbin/e2fsck", "e2fsck", "-f", "-n", path, (char *)NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (status)
		fail_msg("%s: e2fsck ends with status %#x", label, (unsigned int)status);
}

/* FNV-1a: what ends in its own CRC looks the same to a CRC, whatever it is. */
static void add(uint64_t *sum, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	for (; size; size--)
		*sum = (*sum ^ *at++) * 0x100000001b3;
}

/* A sum of the blocks that have something in them, and of where they are. */
static uint64_t sum_of(int fd)
{
	static const uint8_t zeros[EXT4_BLOCK_SIZE];
	uint8_t block[EXT4_BLOCK_SIZE];
	uint64_t sum = 0xcbf29ce484222325;
	char place[24];
	off_t at = 0;

	while ((at = lseek(fd, at, SEEK_DATA)) >= 0) {
		assert_int_equal(io_pread(fd, block, sizeof(block), (uint64_t)at), sizeof(block));
		if (memcmp(block, zeros, sizeof(block))) {
			add(&sum, place, (size_t)sprintf(place, "%lld", (long long)at));
			add(&sum, block, sizeof(block));
		}
		at += EXT4_BLOCK_SIZE;
	}
	return sum;
}

static void test_sizes(void **state)
{
	static const struct {
		const char *label;
		uint64_t size_bytes, written_bytes;
	} cases[] = {
		{ "the smallest", EXT4_MAKE_MIN, 6 * 4096 },
		{ "not a whole block", EXT4_MAKE_MIN + 4095, 6 * 4096 },
		{ "one group", GROUP, 6 * 4096 },
		{ "a last group that is too small", GROUP + 577 * 4096, 6 * 4096 },
		{ "a last group that is just large enough", GROUP + 578 * 4096, 7 * 4096 },
		{ "descriptors fill one block", 64 * GROUP, 7 * 4096 },
		{ "and one more", 65 * GROUP, 8 * 4096 },
		{ "1 TiB", MIB << 20, (128 + 6) * 4096 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		auto_fd int fd = make_disk(cases[i].size_bytes);
		struct stat st;

		make(cases[i].label, fd, cases[i].size_bytes);
		assert_int_equal(fstat(fd, &st), 0);
		if ((uint64_t)st.st_blocks * 512 != cases[i].written_bytes)
			fail_msg("%s: %llu bytes were written", cases[i].label,
				 (unsigned long long)st.st_blocks * 512);
		expect_clean(cases[i].label, fd);
	}
}

/* Of a disk that is larger than the largest the rest is not used. */
static void test_largest(void **state)
{
	auto_fd int fd = make_disk(EXT4_MAKE_MAX + GROUP);
	uint8_t block[EXT4_BLOCK_SIZE];

	(void)state;
	make("largest", fd, EXT4_MAKE_MAX + GROUP);
	assert_int_equal(io_pread(fd, block, sizeof(block), 0), sizeof(block));
	/* the inodes' count and the blocks' */
	assert_memory_equal(block + 1024, "\x00\xe0\xff\xff\x00\x80\xff\xff", 8);
	assert_memory_equal(block + 1024 + 0x150, "\x03\x00\x00\x00", 4);
	/* Of the last group: where its bitmaps and its inodes are. */
	assert_int_equal(io_pread(fd, block, sizeof(block), 8192 * 4096), sizeof(block));
	assert_memory_equal(block + 62 * 64, "\x00\x00\xff\xff\x01\x00\xff\xff\x02\x00\xff\xff",
			    12);
	assert_memory_equal(block + 62 * 64 + 0x20, "\x03\0\0\0\x03\0\0\0\x03\0\0\0", 12);
	assert_int_equal(block[63 * 64], 0);
}

/* Nothing is left to what is on the disk already: here ones, where the kernel looks. */
static void test_on_a_used_disk(void **state)
{
	static uint8_t ones[4 * MIB];
	const uint64_t size = 2 * GROUP;
	auto_fd int fd = make_disk(size);

	(void)state;
	memset(ones, 0xff, sizeof(ones));
	for (uint64_t at = 0; at < size; at += GROUP)
		assert_int_equal(io_pwrite(fd, ones, sizeof(ones), at), 0);
	make("ones", fd, size);
	expect_clean("ones", fd);
}

/* On every machine. */
static void test_same_bytes(void **state)
{
	uint8_t other[EXT4_RANDOM_SIZE];
	auto_fd int fd = make_disk(200 * MIB);
	struct err e = { 0 };
	uint64_t sum;

	(void)state;
	make("sum", fd, 200 * MIB);
	sum = sum_of(fd);
	assert_true(sum == 0xa2ff9b47d7612b82);
	make("again", fd, 200 * MIB);
	assert_int_equal(sum_of(fd), sum);
	for (size_t i = 0; i < sizeof(other); i += 16) {
		memcpy(other, random_bytes, sizeof(other));
		other[i]++;
		expect_success("other", ext4_make(fd, 200 * MIB, "socle-scratch", other, &e), &e);
		assert_int_not_equal(sum_of(fd), sum);
	}
}

/* Which of the writes fails, from 1; 0: none. */
static unsigned int writes, fail_write;

/* In the place of libc's. */
ssize_t pwrite(int fd, const void *buf, size_t size, off_t offset_bytes)
{
	if (++writes == fail_write) {
		errno = EIO;
		return -1;
	}
	return syscall(SYS_pwrite64, fd, buf, size, offset_bytes);
}

/* What was begun is never taken for a file system: the superblock comes last. */
static void test_each_write_fails(void **state)
{
	static const char *const places[] = { "block 2:",   "block 3:", "block 32768:", "block 4:",
					      "block 516:", "block 1:", "block 0:" };
	auto_fd int fd = make_disk(2 * GROUP);
	uint8_t block[EXT4_BLOCK_SIZE];
	size_t fds = open_fds();

	(void)state;
	for (unsigned int call = 1; call <= ARRAY_SIZE(places); call++) {
		struct err e = { 0 };

		writes = 0;
		fail_write = call;
		expect_failure(places[call - 1], ext4_make(fd, 2 * GROUP, "x", random_bytes, &e),
			       &e, FAIL_SCRATCH_FAILED, places[call - 1]);
		assert_int_equal(writes, call);
		assert_int_equal(io_pread(fd, block, sizeof(block), 0), sizeof(block));
		assert_false(ext4_is_ours(block, "x"));
	}
	assert_int_equal(open_fds(), fds);
	writes = fail_write = 0;
	make("none fails", fd, 2 * GROUP);
	assert_int_equal(writes, ARRAY_SIZE(places));
}

static void test_too_small(void **state)
{
	auto_fd int fd = make_disk(EXT4_MAKE_MIN);
	struct err e = { 0 };

	(void)state;
	writes = 0;
	expect_failure("small", ext4_make(fd, EXT4_MAKE_MIN - 1, "x", random_bytes, &e), &e,
		       FAIL_SCRATCH_FAILED, "16777215 bytes are too few for a file system");
	assert_int_equal(writes, 0);
}

static void test_is_ours(void **state)
{
	auto_fd int fd = make_disk(GROUP);
	uint8_t block[EXT4_BLOCK_SIZE], changed[EXT4_BLOCK_SIZE];

	(void)state;
	make("ours", fd, GROUP);
	assert_int_equal(io_pread(fd, block, sizeof(block), 0), sizeof(block));
	assert_true(ext4_is_ours(block, "socle-scratch"));
	assert_false(ext4_is_ours(block, "socle-scratc"));
	assert_false(ext4_is_ours(block, "socle-scratch2"));
	memcpy(changed, block, sizeof(block));
	changed[1024 + 0x3a] = 0; /* it was in use */
	assert_true(ext4_is_ours(changed, "socle-scratch"));
	changed[1024 + 0x5c] |= 4; /* with a journal */
	assert_false(ext4_is_ours(changed, "socle-scratch"));
	memset(changed, 0, sizeof(changed));
	assert_false(ext4_is_ours(changed, "socle-scratch"));
	assert_false(ext4_is_ours(changed, ""));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_largest),
		cmocka_unit_test(test_on_a_used_disk),
		cmocka_unit_test(test_same_bytes),
		cmocka_unit_test(test_each_write_fails),
		cmocka_unit_test(test_too_small),
		cmocka_unit_test(test_is_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
