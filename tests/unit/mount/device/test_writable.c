// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* What is no disk to write to; a disk that is read-only or in use is a boot's to show. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mount/device/writable.h"

static void test_refused(void **state)
{
	char file[96], link[96];
	struct temp t;
	struct err e = { 0 };
	size_t fds;

	(void)state;
	temp_make(&t);
	put_text(t.fd, "file", "");
	put_link(t.fd, "link", "file");
	snprintf(file, sizeof(file), "%s/file", t.path);
	snprintf(link, sizeof(link), "%s/link", t.path);
	fds = open_fds();
	expect_failure("missing", device_open_writable("/dev/socle-nothing", 1, 3, &e), &e,
		       FAIL_SCRATCH_FAILED, "open /dev/socle-nothing for writing: No such file");
	expect_failure("directory", device_open_writable(t.path, 1, 3, &e), &e, FAIL_SCRATCH_FAILED,
		       "for writing: Is a directory");
	expect_failure("link", device_open_writable(link, 1, 3, &e), &e, FAIL_SCRATCH_FAILED,
		       "link for writing: ");
	/* Where a file of this kind cannot be opened past the page cache, that is said. */
	expect_failure("file", device_open_writable(file, 1, 3, &e), &e, FAIL_SCRATCH_FAILED, file);
	assert_int_equal(open_fds(), fds);
	temp_remove(&t);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
