// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "image-build/disk/erofs/erofs_window.h"
#include "lib/io.h"

#define BASE 12288
#define SIZE ((size_t)5 << 20)
#define STEP 4096

/* Written forwards and backwards, with holes, as far back as is allowed. */
static void test_order(void **state)
{
	uint8_t *expected = calloc(1, SIZE), *found = malloc(SIZE), *at;
	int fd = memfd_create("file", MFD_CLOEXEC);
	struct err e = { .text = "" };
	struct erofs_window w;

	(void)state;
	assert_non_null(expected);
	assert_non_null(found);
	erofs_window_open(&w, fd, BASE);
	for (size_t i = 0; i < SIZE; i += STEP) {
		size_t back = i < EROFS_WINDOW_BACK ? i : i - EROFS_WINDOW_BACK;

		if (i % (3 * STEP) == 0)
			continue;
		assert_int_equal(erofs_window_at(&w, i, STEP, &at, &e), 0);
		memset(at, (int)(i / STEP % 255) + 1, STEP / 2);
		memset(expected + i, (int)(i / STEP % 255) + 1, STEP / 2);
		assert_int_equal(erofs_window_at(&w, back, 1, &at, &e), 0);
		*at = expected[back] = 0xff;
	}
	assert_int_equal(erofs_window_finish(&w, SIZE, &e), 0);
	erofs_window_close(&w);
	assert_int_equal(lseek(fd, 0, SEEK_END), BASE + SIZE);
	assert_int_equal(io_pread(fd, found, SIZE, BASE), SIZE);
	assert_memory_equal(found, expected, SIZE);
	close(fd);
	free(expected);
	free(found);
}

/* The largest piece, at once behind nothing: what is skipped is zero. */
static void test_far(void **state)
{
	int fd = memfd_create("file", MFD_CLOEXEC);
	struct err e = { .text = "" };
	struct erofs_window w;
	uint8_t *at, byte;

	(void)state;
	erofs_window_open(&w, fd, 0);
	assert_int_equal(erofs_window_at(&w, SIZE, EROFS_WINDOW_PIECE, &at, &e), 0);
	memset(at, 0xaa, EROFS_WINDOW_PIECE);
	assert_int_equal(erofs_window_finish(&w, SIZE + EROFS_WINDOW_PIECE, &e), 0);
	erofs_window_close(&w);
	assert_int_equal(lseek(fd, 0, SEEK_END), SIZE + EROFS_WINDOW_PIECE);
	assert_int_equal(io_pread(fd, &byte, 1, SIZE - 1), 1);
	assert_int_equal(byte, 0);
	assert_int_equal(io_pread(fd, &byte, 1, SIZE + EROFS_WINDOW_PIECE - 1), 1);
	assert_int_equal(byte, 0xaa);
	close(fd);
}

static void test_full(void **state)
{
	struct err e = { .text = "" };
	struct erofs_window w;
	uint8_t *at;

	(void)state;
	erofs_window_open(&w, open("/dev/full", O_WRONLY | O_CLOEXEC), 0);
	assert_int_equal(erofs_window_at(&w, EROFS_WINDOW_BYTES - 1, 1, &at, &e), 0);
	expect_failure("at", erofs_window_at(&w, EROFS_WINDOW_BYTES, 1, &at, &e), &e,
		       FAIL_SYSTEM_CALL_FAILED, "write the erofs: No space left on device");
	expect_failure("finish", erofs_window_finish(&w, 1, &e), &e, FAIL_SYSTEM_CALL_FAILED,
		       "write the erofs");
	close(w.fd);
	erofs_window_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_far),
		cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
