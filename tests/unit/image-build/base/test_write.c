// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "image-build/base/write.h"
#include "lib/cleanup.h"
#include "lib/io.h"

static char out[300000], in[sizeof(out) + 1];

/* A pipe takes what it has room for; the writer here goes on to the end. */
static void test_pipe(void **state)
{
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
		_exit(write_all(ends[1], out, sizeof(out)) ? 1 : 0);
	}
	close(ends[1]);
	assert_int_equal(io_read(ends[0], in, sizeof(in)), sizeof(out));
	assert_memory_equal(in, out, sizeof(out));
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void test_pipe_full(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	assert_int_equal(write_all(ends[1], out, sizeof(out)), -EAGAIN);
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

		assert_int_equal(write_all_at(fd, "far", 3, offsets[i]), 0);
		assert_int_equal(lseek(fd, 0, SEEK_END), offsets[i] + 3);
		assert_int_equal(pread(fd, text, sizeof(text), (off_t)offsets[i]), 3);
		assert_memory_equal(text, "far", 3);
	}
	assert_int_equal(write_all_at(-1, text, 1, 0), -EBADF);
	assert_int_equal(write_all(-1, text, 1), -EBADF);
	temp_remove(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pipe),
		cmocka_unit_test(test_pipe_full),
		cmocka_unit_test(test_far_offsets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
