// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "mount/runtime/mounts.h"

static int next(const char *text, struct mounted *ret)
{
	char copy[8192] = "\n";
	FILE *file;
	int r;

	snprintf(copy, sizeof(copy), "%s\n", text);
	file = fmemopen(copy, strlen(copy), "r");
	assert_non_null(file);
	r = mounts_next(file, ret);
	fclose(file);
	return r;
}

static void test_line(void **state)
{
	struct mounted m;

	(void)state;
	assert_int_equal(next("36 35 98:17 / /a rw,noatime master:1 shared:2 - ext4 /dev/root "
			      "rw,errors=remount-ro\n",
			      &m),
			 1);
	assert_int_equal(m.major, 98);
	assert_int_equal(m.minor, 17);
	assert_string_equal(m.target, "/a");
	assert_string_equal(m.source, "/dev/root");
	assert_true(m.writable);
}

/* A mount may be read-only, or its file system. */
static void test_writable(void **state)
{
	static const struct {
		const char *line;
		bool writable;
	} rows[] = {
		{ "1 2 0:3 / /a rw - overlay x rw,lowerdir=/ro", true },
		{ "1 2 0:3 / /a ro,nosuid - overlay x rw", false },
		{ "1 2 0:3 / /a nosuid,ro - overlay x rw", false },
		{ "1 2 0:3 / /a rw - overlay x ro,lowerdir=/a", false },
		{ "1 2 0:3 / /a rw - ext4 x rw,errors=remount-ro", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct mounted m;

		assert_int_equal(next(rows[i].line, &m), 1);
		assert_int_equal(m.writable, rows[i].writable);
	}
}

static void test_escapes(void **state)
{
	struct mounted m;

	(void)state;
	assert_int_equal(next("1 2 0:3 / /a\\040b\\011c\\134d\\0 rw - overlay so\\040cle rw", &m),
			 1);
	assert_string_equal(m.target, "/a b\tc\\d\\0");
	assert_string_equal(m.source, "so cle");
}

/* What is no such line is left out, and the next one read. */
static void test_other_lines(void **state)
{
	struct mounted m;

	(void)state;
	assert_int_equal(next("\n1 2 0:3\n1 2 x / /a rw - t s rw\n1 2 0:3 / /b rw x:1\n"
			      "1 2 0:3 / /b rw - t\n1 2 0:9 / /c rw - t s rw",
			      &m),
			 1);
	assert_string_equal(m.target, "/c");
	assert_int_equal(next("", &m), 0);
}

static int count(const struct mounted *m, void *data)
{
	(void)m;
	return ++*(int *)data == 2 ? 7 : 0;
}

/* Of this process itself: and a list that is stopped stops. */
static void test_own(void **state)
{
	struct mounted m;
	struct err e = { 0 };
	int seen = 0;

	(void)state;
	assert_int_equal(mounts_at("/proc", &m, &e), 1);
	assert_string_equal(m.target, "/proc");
	assert_int_equal(mounts_at("/nothing is here", &m, &e), 0);
	assert_int_equal(mounts_each(count, &seen, &e), 7);
	assert_int_equal(seen, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_line),    cmocka_unit_test(test_writable),
		cmocka_unit_test(test_escapes), cmocka_unit_test(test_other_lines),
		cmocka_unit_test(test_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
