// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* A node is opened only where it is the device that was meant. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "verity/device.h"

static bool stat_fails;

int fstat(int fd, struct stat *st)
{
	if (!stat_fails)
		return fstatat(fd, "", st, AT_EMPTY_PATH);
	errno = EIO;
	return -1;
}

static void test_open(void **state)
{
	struct temp dev;
	struct err e = { 0 };
	size_t fds;
	int r;

	(void)state;
	temp_make(&dev);
	fds = open_fds();

	expect_failure("no node", device_node_open(dev.fd, "vda", 1, 3, &e), &e,
		       FAIL_DEVICE_READ_FAILED, "open /dev/vda: No such file");
	put_text(dev.fd, "vda", "a file");
	expect_failure("a file", device_node_open(dev.fd, "vda", 1, 3, &e), &e,
		       FAIL_DEVICE_READ_FAILED, "/dev/vda is not block device 1:3");
	/* /dev/null has this number, but it is no block device */
	stat_fails = true;
	r = device_node_open(dev.fd, "vda", 1, 3, &e);
	stat_fails = false;
	expect_failure("no stat", r, &e, FAIL_SYSTEM_CALL_FAILED, "stat /dev/vda: ");
	unlinkat(dev.fd, "vda", 0);
	put_link(dev.fd, "vda", "/dev/null");
	expect_failure("a character device", device_node_open(dev.fd, "vda", 1, 3, &e), &e,
		       FAIL_DEVICE_READ_FAILED, "is not block device 1:3");
	expect_failure("a path", device_node_open(AT_FDCWD, "/nowhere", 1, 3, &e), &e,
		       FAIL_DEVICE_READ_FAILED, "open /nowhere: No such file");
	assert_int_equal(open_fds(), fds);
	temp_remove(&dev);
}

/* Any block device of this machine that can be opened will do. */
static void test_open_a_real_one(void **state)
{
	static const char *const names[] = { "vda", "sda", "nvme0n1", "loop0", "ram0" };
	struct err e = { 0 };
	struct stat st;
	int dir, fd;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char path[32];

		snprintf(path, sizeof(path), "/dev/%s", names[i]);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		assert_int_equal(fstat(fd, &st), 0);
		close(fd);
		dir = open("/dev", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		fd = device_node_open(dir, names[i], major(st.st_rdev), minor(st.st_rdev), &e);
		assert_true(fd >= 0);
		assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
		assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
		close(fd);
		/* the name leads to another device by now */
		expect_failure(path,
			       device_node_open(dir, names[i], major(st.st_rdev),
						minor(st.st_rdev) + 1, &e),
			       &e, FAIL_DEVICE_READ_FAILED, "is not block device");
		close(dir);
		return;
	}
	skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_open),
		cmocka_unit_test(test_open_a_real_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
