// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mount/fs/deletions.h"

static void test_found(void **state)
{
	static const struct {
		const char *path, *shown;
	} rows[] = {
		{ ".wh.top", "called /.wh.top," },
		{ "etc/.wh.passwd", "called /etc/.wh.passwd," },
		{ "a/b/.wh..wh..opq", "called /a/b/.wh..wh..opq," },
		{ "a/.wh.new\nline", "called /a/.wh.new?line," },
		{ "b/.wh.", "called /b/.wh.," },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err e = { 0 };
		size_t fds;
		struct temp t;

		temp_make(&t);
		put_text(t.fd, "a/b/c/file", "");
		put_text(t.fd, "z/file", "");
		put_text(t.fd, rows[i].path, "");
		fds = open_fds();
		expect_failure(rows[i].path, deletions_refuse(t.path, &e), &e,
			       FAIL_DELETIONS_IGNORED, rows[i].shown);
		assert_int_equal(open_fds(), fds);
		temp_remove(&t);
	}
}

/* A directory of such a name deletes as well. */
static void test_directory(void **state)
{
	struct err e = { 0 };
	struct temp t;

	(void)state;
	temp_make(&t);
	put_text(t.fd, "a/.wh.dir/file", "");
	expect_failure("dir", deletions_refuse(t.path, &e), &e, FAIL_DELETIONS_IGNORED,
		       "/a/.wh.dir");
	temp_remove(&t);
}

/* Names that only look alike, and what a link leads to. */
static void test_none(void **state)
{
	struct err e = { 0 };
	struct temp layer, other;

	(void)state;
	temp_make(&layer);
	temp_make(&other);
	put_text(other.fd, ".wh.elsewhere", "");
	put_text(layer.fd, "a/b/.wh", "");
	put_text(layer.fd, "a/x.wh.y", "");
	put_text(layer.fd, "a/.Wh.y", "");
	put_link(layer.fd, "a/b/link", other.path);
	put_link(layer.fd, "a/b/loop", ".");
	expect_success("none", deletions_refuse(layer.path, &e), &e);
	temp_remove(&layer);
	temp_remove(&other);
}

static int make_depth(int parent, unsigned int depth)
{
	int fd = dup(parent);

	for (unsigned int i = 0; i < depth; i++) {
		int below;

		assert_int_equal(mkdirat(fd, "d", 0755), 0);
		below = openat(fd, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		assert_true(below >= 0);
		close(fd);
		fd = below;
	}
	return fd;
}

static void remove_depth(int parent, unsigned int depth)
{
	for (; depth; depth--) {
		int fd = dup(parent);

		for (unsigned int i = 1; i < depth; i++) {
			int below = openat(fd, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

			close(fd);
			fd = below;
		}
		assert_int_equal(unlinkat(fd, "d", AT_REMOVEDIR), 0);
		close(fd);
	}
}

/* The last level that is allowed is looked at; one more is refused, whatever is in it. */
static void test_depth(void **state)
{
	struct err e = { 0 };
	size_t fds;
	struct temp t;
	int last;

	(void)state;
	temp_make(&t);
	last = make_depth(t.fd, DELETIONS_DEPTH_MAX - 1);
	fds = open_fds();
	expect_success("deepest", deletions_refuse(t.path, &e), &e);
	put_text(last, ".wh.x", "");
	expect_failure("deepest", deletions_refuse(t.path, &e), &e, FAIL_DELETIONS_IGNORED,
		       "/d/d/d/d/");
	assert_int_equal(unlinkat(last, ".wh.x", 0), 0);
	put_dir(last, "d");
	expect_failure("too deep", deletions_refuse(t.path, &e), &e, FAIL_LIMIT_EXCEEDED, "255");
	assert_int_equal(open_fds(), fds);
	close(last);
	remove_depth(t.fd, DELETIONS_DEPTH_MAX);
	temp_remove(&t);
}

/* Names of files and of directories, "." and ".." of none. */
static void test_entries(void **state)
{
	struct err e = { 0 };
	struct temp t;
	size_t fds;

	(void)state;
	temp_make(&t);
	put_text(t.fd, "a/b/one", "");
	put_text(t.fd, "a/two", "");
	put_link(t.fd, "three", "a");
	fds = open_fds();
	expect_success("5", deletions_refuse_among(t.path, 5, &e), &e);
	expect_failure("4", deletions_refuse_among(t.path, 4, &e), &e, FAIL_LIMIT_EXCEEDED,
		       "more than 4 names");
	assert_int_equal(open_fds(), fds);
	temp_remove(&t);
}

static void test_missing(void **state)
{
	struct err e = { 0 };
	struct temp t;
	char path[96];

	(void)state;
	temp_make(&t);
	put_link(t.fd, "link", t.path);
	snprintf(path, sizeof(path), "%s/link", t.path);
	expect_failure("link", deletions_refuse(path, &e), &e, FAIL_DEVICE_READ_FAILED, "look");
	snprintf(path, sizeof(path), "%s/none", t.path);
	expect_failure("none", deletions_refuse(path, &e), &e, FAIL_DEVICE_READ_FAILED, "look");
	temp_remove(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found),   cmocka_unit_test(test_directory),
		cmocka_unit_test(test_none),    cmocka_unit_test(test_depth),
		cmocka_unit_test(test_missing), cmocka_unit_test(test_entries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
