// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init/root/switch_root.h"
#include "tests/unit/fake_sys.h"

/* Moved and chrooted, never pivot_root(2). */
static const char expected[] = SWITCH_ROOT_CALLS;
#define CALLS 12

/* What the test found out in its own root. */
struct result {
	int r;
	struct err e;
	int fds_before, fds_after;
	char log[16384];
	char left[1024];
};

static void fill_initramfs(int dir)
{
	put_text(dir, "init", "program");
	put_text(dir, "lib/modules/a.ko", "module");
	put_link(dir, "lib/link", "/proc");
	put_dir(dir, "sysroot");
	put_dir(dir, "other");
	put_text(dir, "a/b/c/d/e/file", "deep");
}

static void note(struct result *result, const char *path)
{
	struct stat st;

	if (!lstat(path, &st))
		strcat(strcat(result->left, path), " ");
}

static void run_switch(struct result *result)
{
	fake_sys.unlink_really = true;
	result->fds_before = (int)(dup(0));
	close(result->fds_before);
	result->r = switch_root("/sysroot", &result->e);
	result->fds_after = (int)(dup(0));
	close(result->fds_after);
	memcpy(result->log, fake_sys.log, sizeof(result->log) - 1);
	note(result, "/init");
	note(result, "/lib");
	note(result, "/a");
	note(result, "/sysroot");
	note(result, "/other/kept");
}

/* Another file system below the old root is not touched. */
static void run_with_a_mount(void *shared)
{
	int fd;

	if (mount("test", "/other", "tmpfs", 0, NULL))
		return;
	fd = open("/other/kept", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	close(fd);
	fake_sys_reset(0, 0);
	run_switch(shared);
}

static void test_order_and_emptying(void **state)
{
	struct result *result = shared_memory(sizeof(*result));

	(void)state;
	if (in_own_root(fill_initramfs, run_with_a_mount, result))
		skip();
	expect_success("switch", result->r, &result->e);
	assert_memory_equal(result->log, expected, strlen(expected));
	assert_non_null(strstr(result->log, "unlink file\nunlink e/\nunlink d/\nunlink c/\n"));
	assert_non_null(strstr(result->log, "unlink link\n"));
	assert_null(strstr(result->log, "kept"));
	assert_string_equal(result->left, "/other/kept ");
	assert_int_equal(result->fds_after, result->fds_before);
}

/* What cannot be removed costs memory and nothing else. */
static void run_with_a_stubborn_file(void *shared)
{
	fake_sys_reset(CALLS + 1, EBUSY);
	run_switch(shared);
}

static void test_emptying_is_best_effort(void **state)
{
	struct result *result = shared_memory(sizeof(*result));

	(void)state;
	if (in_own_root(fill_initramfs, run_with_a_stubborn_file, result))
		skip();
	expect_success("switch", result->r, &result->e);
	assert_int_equal(result->fds_after, result->fds_before);
}

/* Each call in turn: an error, no descriptor left, and nothing behind it. */
static void run_each_failure(void *shared)
{
	struct result *result = shared;

	for (unsigned int call = 1; call <= CALLS; call++) {
		const char *left = result->left;

		fake_sys_reset(call, EIO);
		run_switch(result);
		if (result->r != -EIO || result->e.code != FAIL_MOUNT_FAILED ||
		    fake_sys.calls != call || memcmp(fake_sys.log, expected, fake_sys.used) ||
		    strcmp(left, "/init /lib /a /sysroot ") ||
		    result->fds_after != result->fds_before) {
			snprintf(result->log, sizeof(result->log), "call %u: %d %s, left %s", call,
				 result->r, result->e.text, left);
			return;
		}
		result->left[0] = '\0';
	}
	strcpy(result->log, "as expected");
}

static void test_each_call_fails(void **state)
{
	struct result *result = shared_memory(sizeof(*result));

	(void)state;
	if (in_own_root(fill_initramfs, run_each_failure, result))
		skip();
	assert_string_equal(result->log, "as expected");
}

/* A root that has the directories already, and one that cannot have them. */
static void run_with_directories(void *shared)
{
	fake_sys_reset(3, EEXIST);
	run_switch(shared);
}

static void run_read_only(void *shared)
{
	fake_sys_reset(3, EROFS);
	run_switch(shared);
}

static void test_places_of_the_api_mounts(void **state)
{
	struct result *result = shared_memory(sizeof(*result));

	(void)state;
	if (in_own_root(fill_initramfs, run_with_directories, result))
		skip();
	expect_success("there already", result->r, &result->e);
	assert_memory_equal(result->log, expected, strlen(expected));
	memset(result, 0, sizeof(*result));
	assert_int_equal(in_own_root(fill_initramfs, run_read_only, result), 0);
	expect_failure("read-only", result->r, &result->e, FAIL_MOUNT_FAILED,
		       "no directory /proc to mount on, and it cannot be created: Read-only");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_and_emptying),
		cmocka_unit_test(test_emptying_is_best_effort),
		cmocka_unit_test(test_each_call_fails),
		cmocka_unit_test(test_places_of_the_api_mounts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
