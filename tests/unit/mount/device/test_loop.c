// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* A file becomes a loop device, whoever else takes one at the same time. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "mount/device/loop.h"
#include "tests/unit/fake_sys.h"

#define GET       "loop_get_free\n"
#define CONFIGURE "loop_configure block_size=512 flags=0x15\n" /* read-only, autoclear, direct */

static struct result {
	int r, fd;
	size_t left_open;
	struct blockdev loop;
	struct err e;
	char log[128];
	unsigned int calls;
} * result;

static const char *path;
static unsigned int fail_call;
static int fail_errno;

static void fill(int dir)
{
	char bytes[1300] = { 0 };

	put_text(dir, "dev/loop-control", "");
	put_text(dir, "dev/loop7", "");
	put_bytes(dir, "run/layers/one", bytes, sizeof(bytes));
	put_link(dir, "run/layers/link", "one");
}

static void fill_without_loop(int dir)
{
	put_text(dir, "run/layers/one", "");
}

/* No /proc is in this root. */
static size_t descriptors(void)
{
	size_t count = 0;

	for (int fd = 0; fd < 64; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static void run(void *shared)
{
	struct result *ret = shared;

	fake_sys_reset(fail_call, fail_errno);
	ret->left_open -= descriptors();
	ret->fd = -1;
	ret->r = loop_attach(path, &ret->loop, &ret->fd, &ret->e);
	memcpy(ret->log, fake_sys.log, sizeof(ret->log) - 1);
	ret->calls = fake_sys.calls;
	/* what it opened is closed again, but for what it gives away */
	ret->left_open += descriptors() - (ret->fd >= 0);
}

static void attach(void (*filled)(int dir), const char *file, unsigned int call, int errnum)
{
	if (!result)
		result = shared_memory(sizeof(*result));
	memset(result, 0, sizeof(*result));
	path = file;
	fail_call = call;
	fail_errno = errnum;
	if (in_own_root(filled, run, result))
		skip();
}

static void test_attached(void **state)
{
	static const char *const files[] = { "/run/layers/one", "/run/layers/link" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		attach(fill, files[i], 0, 0);
		expect_success(files[i], result->r, &result->e);
		assert_int_equal(result->left_open, 0);
		assert_true(result->fd >= 0);
		assert_string_equal(result->log, GET CONFIGURE);
		assert_string_equal(result->loop.name, "loop7");
		/* a sector that is not whole is not there */
		assert_int_equal(result->loop.size_bytes, 1024);
		assert_int_equal(result->loop.sector_bytes, 512);
	}
}

/* The number that was free is another's by now: the next one. */
static void test_taken_meanwhile(void **state)
{
	(void)state;
	attach(fill, "/run/layers/one", 2, EBUSY);
	expect_success("again", result->r, &result->e);
	assert_string_equal(result->log, GET CONFIGURE GET CONFIGURE);
}

static void test_each_call_fails(void **state)
{
	(void)state;
	for (unsigned int call = 1; call <= 2; call++) {
		attach(fill, "/run/layers/one", call, EIO);
		expect_failure("call", result->r, &result->e, FAIL_SYSTEM_CALL_FAILED,
			       "make a loop device of /run/layers/one: I");
		assert_int_equal(result->calls, call);
		assert_int_equal(result->fd, -1);
		assert_int_equal(result->left_open, 0);
	}
}

static void test_refused(void **state)
{
	static const struct {
		void (*fill)(int dir);
		const char *path;
		enum fail_code code;
		const char *words;
	} rows[] = {
		{ fill, "/run/layers/two", FAIL_DEVICE_NOT_FOUND, "open /run/layers/two: No such" },
		{ fill, "/run/layers/one/two", FAIL_DEVICE_NOT_FOUND, "Not a directory" },
		{ fill, "/run/layers", FAIL_DEVICE_NOT_FOUND, "is not a regular file" },
		{ fill_without_loop, "/run/layers/one", FAIL_KERNEL_FEATURE_MISSING,
		  "CONFIG_BLK_DEV_LOOP" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		attach(rows[i].fill, rows[i].path, 0, 0);
		expect_failure(rows[i].path, result->r, &result->e, rows[i].code, rows[i].words);
		assert_int_equal(result->calls, 0);
		assert_int_equal(result->fd, -1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_attached),
		cmocka_unit_test(test_taken_meanwhile),
		cmocka_unit_test(test_each_call_fails),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
