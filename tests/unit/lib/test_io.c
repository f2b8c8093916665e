// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/io.h"

static void test_read(void **state)
{
	struct temp t;
	char text[8];
	size_t fds;

	(void)state;
	temp_make(&t);
	put_text(t.fd, "empty", "");
	put_text(t.fd, "seven", "1234567");
	put_text(t.fd, "eight", "12345678");
	put_text(t.fd, "nine", "123456789");
	put_bytes(t.fd, "nul", "a\0b", 3);
	put_dir(t.fd, "dir");
	fds = open_fds();
	assert_int_equal(io_read_text(t.fd, "empty", text, sizeof(text)), 0);
	assert_string_equal(text, "");
	assert_int_equal(io_read_text(t.fd, "seven", text, sizeof(text)), 7);
	assert_string_equal(text, "1234567");
	assert_int_equal(io_read_text(t.fd, "eight", text, sizeof(text)), -EFBIG);
	assert_int_equal(io_read_text(t.fd, "nine", text, sizeof(text)), -EFBIG);
	assert_int_equal(io_read_text(t.fd, "nul", text, sizeof(text)), 3);
	assert_memory_equal(text, "a\0b", 4);
	assert_int_equal(io_read_text(t.fd, "absent", text, sizeof(text)), -ENOENT);
	assert_int_equal(io_read_text(t.fd, "dir", text, sizeof(text)), -EISDIR);
	assert_int_equal(io_read_text(-1, "seven", text, sizeof(text)), -EBADF);
	assert_int_equal(open_fds(), fds);
	temp_remove(&t);
}

static void test_write(void **state)
{
	struct temp t;
	char text[16];
	size_t fds;

	(void)state;
	temp_make(&t);
	put_text(t.fd, "file", "old");
	fds = open_fds();
	assert_int_equal(io_write_text(t.fd, "file", "- - -"), 0);
	assert_int_equal(io_read_text(t.fd, "file", text, sizeof(text)), 5);
	assert_string_equal(text, "- - -");
	/* sysfs' files exist; nothing else is made by mistake */
	assert_int_equal(io_write_text(t.fd, "absent", "1"), -ENOENT);
	assert_int_equal(faccessat(t.fd, "absent", F_OK, 0), -1);
	assert_int_equal(io_write_text(AT_FDCWD, "/dev/full", "1"), -ENOSPC);
	assert_int_equal(open_fds(), fds);
	temp_remove(&t);
}

/* A pipe gives what it has; the reader here goes on to the end. */
static void test_short_reads(void **state)
{
	static char out[300000], in[sizeof(out) + 1];
	int ends[2], status;
	pid_t child;

	(void)state;
	for (size_t i = 0; i < sizeof(out); i++)
		out[i] = (char)(i * 7 + i / 256);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		close(ends[0]);
		_exit(write(ends[1], out, sizeof(out)) != sizeof(out));
	}
	close(ends[1]);
	assert_int_equal(io_read(ends[0], in, 10), 10);
	assert_int_equal(io_read(ends[0], in + 10, sizeof(in) - 10), sizeof(out) - 10);
	assert_memory_equal(in, out, sizeof(out));
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* What follows a short read ends where the room does, whatever more there is. */
static void test_room_behind_a_short_read(void **state)
{
	char in[16] = "................";
	int ends[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	assert_int_equal(send(ends[1], "abc", 3, 0), 3);
	assert_int_equal(send(ends[1], "0123456789", 10, 0), 10);
	assert_int_equal(io_read(ends[0], in, 8), 8);
	assert_memory_equal(in, "abc01234........", sizeof(in));
	close(ends[0]);
	close(ends[1]);
}

/* An offset above 2 GiB, and one above 4 GiB, is an offset. */
static void test_far_offsets(void **state)
{
	static const uint64_t offsets[] = { (1ULL << 31) + 4096, (1ULL << 32) + 512 };
	struct temp t;
	char text[8] = "";

	(void)state;
	temp_make(&t);
	for (size_t i = 0; i < ARRAY_SIZE(offsets); i++) {
		auto_fd int fd =
			openat(t.fd, "sparse", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

		assert_int_equal(pwrite(fd, "far", 3, (off_t)offsets[i]), 3);
		assert_int_equal(io_pread(fd, text, sizeof(text), offsets[i]), 3);
		assert_memory_equal(text, "far", 3);
		assert_int_equal(io_pread(fd, text, 3, offsets[i] + 3), 0);
	}
	assert_int_equal(io_pread(-1, text, 1, 0), -EBADF);
	assert_int_equal(io_read(-1, text, 1), -EBADF);
	temp_remove(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),        cmocka_unit_test(test_write),
		cmocka_unit_test(test_short_reads), cmocka_unit_test(test_room_behind_a_short_read),
		cmocka_unit_test(test_far_offsets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
