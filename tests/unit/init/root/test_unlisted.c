// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* A directory that cannot be listed, for want of memory: it costs that, and no descriptor. */
#include "tests/unit/unit.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "init/root/switch_root.h"
#include "tests/unit/fake_sys.h"

static bool fails;
static unsigned int asked;

DIR *fdopendir(int fd)
{
	char path[32];
	DIR *dir;

	asked++;
	errno = ENOMEM;
	if (fails)
		return NULL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	dir = opendir(path);
	close(fd);
	return dir;
}

struct result {
	int r;
	struct err e;
	unsigned int asked;
	int fds_before, fds_after;
};

static int next_fd(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

static void fill(int dir)
{
	put_text(dir, "init", "program");
}

static void run(void *shared)
{
	struct result *result = shared;

	fake_sys_reset(0, 0);
	fails = true;
	asked = 0;
	result->fds_before = next_fd();
	result->r = switch_root("/sysroot", &result->e);
	result->fds_after = next_fd();
	result->asked = asked;
}

static void test_switch_goes_on(void **state)
{
	struct result *result = shared_memory(sizeof(*result));

	(void)state;
	if (in_own_root(fill, run, result))
		skip();
	expect_success("switch", result->r, &result->e);
	assert_int_equal(result->asked, 1);
	assert_int_equal(result->fds_after, result->fds_before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_switch_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
