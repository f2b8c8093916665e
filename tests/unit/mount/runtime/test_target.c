// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mount/runtime/target.h"

static char folder[] = "/tmp/socle-test.XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

/* libc's, but for where it is to look at a path before somebody exchanges it. */
static bool looks_at_links = true;

char *realpath(const char *path, char *found)
{
	char link[32];
	int fd = open(path, O_PATH | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return NULL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, found, MOUNTS_PATH_SIZE - 1);
	close(fd);
	assert_true(n > 0);
	found[n] = '\0';
	if (!looks_at_links)
		strcpy(found, path);
	return found;
}

static const char *in_folder(const char *name)
{
	static char path[2][256];
	static int last;

	last = !last;
	snprintf(path[last], sizeof(path[0]), "%s/%s", folder, name);
	return path[last];
}

static void test_names(void **state)
{
	struct target t;
	struct err e = { 0 };
	char name[MAPPED_NAME_SIZE];

	(void)state;
	expect_success("open", target_open("/run/there is none", false, &t, &e), &e);
	assert_string_equal(t.path, "/run/there is none");
	/* printf '/run/there is none' | sha256sum */
	assert_string_equal(t.id, "d2bb273cf9f921aa");
	target_dm_name(&t, 12, name);
	assert_string_equal(name, "socle.d2bb273cf9f921aa.12");
	assert_string_equal(t.prefix, "socle.d2bb273cf9f921aa.");
	assert_string_equal(t.stage, "/run/socle/d2bb273cf9f921aa/stage");
}

/* The same directory by another way is the same target, another directory another one. */
static void test_canonical(void **state)
{
	struct target direct, linked, other;
	struct err e = { 0 };

	(void)state;
	expect_success("make", target_open(in_folder("a/b/c"), true, &direct, &e), &e);
	assert_int_equal(access(in_folder("a/b/c"), F_OK), 0);
	assert_int_equal(symlink("a", in_folder("link")), 0);
	expect_success("link", target_open(in_folder("link/b/c"), true, &linked, &e), &e);
	assert_string_equal(direct.path, linked.path);
	assert_string_equal(direct.id, linked.id);
	expect_success("other", target_open(in_folder("a/b"), true, &other, &e), &e);
	assert_string_not_equal(direct.id, other.id);
}

/* What comes into the path later leads nowhere else. */
static void test_exchanged(void **state)
{
	struct target t;
	struct err e = { 0 };
	struct stat meant, found;
	size_t fds = open_fds();
	int fd;

	(void)state;
	expect_success("make", target_open(in_folder("p/q/r"), true, &t, &e), &e);
	put_dir(AT_FDCWD, in_folder("s/r"));
	assert_int_equal(stat(t.path, &meant), 0);
	assert_int_equal(rename(in_folder("p/q"), in_folder("p/old")), 0);
	assert_int_equal(symlink("../s", in_folder("p/q")), 0);
	assert_int_equal(stat(t.at, &found), 0);
	assert_int_equal(found.st_ino, meant.st_ino);
	assert_int_equal(stat(t.path, &found), 0);
	assert_int_not_equal(found.st_ino, meant.st_ino);
	fd = target_hold(&t, 0, &e);
	assert_true(fd >= 0);
	target_release(&t, &fd);
	assert_int_equal(open_fds(), fds);
	/* Of what is not there nothing is held, whatever leads to it. */
	expect_success("absent", target_open(in_folder("p/q/absent"), false, &t, &e), &e);
	assert_string_equal(t.at, in_folder("p/q/absent"));
	assert_int_equal(t.parent, -1);
	expect_failure("ours", target_open("/run/socle", false, &t, &e), &e, FAIL_VALUE_INVALID,
		       "is in /run/socle");
	assert_int_equal(open_fds(), fds);
	/* Exchanged between two looks at it. */
	looks_at_links = false;
	expect_failure("link", target_open(in_folder("p/q/r"), false, &t, &e), &e,
		       FAIL_SYSTEM_CALL_FAILED, "p/q became another place");
	looks_at_links = true;
	assert_int_equal(open_fds(), fds);
}

static void test_refused(void **state)
{
	static const char *const paths[] = { "",      "a",     "/",     "/a/../b", "/a/.",
					     "/a//b", "/a/b/", "/a\nb", "/\x7f" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		struct target t;
		struct err e = { 0 };

		expect_failure(paths[i], target_open(paths[i], true, &t, &e), &e,
			       FAIL_VALUE_INVALID, "absolute path");
	}
}

static void test_file_in_the_way(void **state)
{
	struct target t;
	struct err e = { 0 };
	int fd = open(in_folder("file"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	expect_failure("file", target_open(in_folder("file/x"), true, &t, &e), &e,
		       FAIL_SYSTEM_CALL_FAILED, "file");
}

static void test_id_of(void **state)
{
	static const struct {
		const char *name, *id;
	} rows[] = {
		{ "socle.0123456789abcdef.0", "0123456789abcdef" },
		{ "socle.0123456789abcdef.upper-integrity", "0123456789abcdef" },
		{ "socle.0123456789abcdef", "0123456789abcdef" },
		{ "socle.0123456789abcde.0", "" },
		{ "socle.0123456789abcdef0.0", "" },
		{ "socle.0123456789ABCDEF.0", "" },
		{ "socle-layer-0", "" },
		{ "0123456789abcdef.0", "" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char id[TARGET_ID_SIZE] = "";

		assert_int_equal(target_id_of(rows[i].name, id), rows[i].id[0] != '\0');
		assert_string_equal(id, rows[i].id);
	}
}

/* One holder at a time, and no trace of it afterwards. */
static void test_hold(void **state)
{
	struct target t;
	struct err e = { 0 };
	int first, second;

	(void)state;
	expect_success("open", target_open("/run/socle-test-hold", false, &t, &e), &e);
	first = target_hold(&t, 0, &e);
	assert_true(first >= 0);
	assert_int_equal(access(t.run, F_OK), 0);
	second = target_hold(&t, 30, &e);
	expect_failure("held", second, &e, FAIL_TARGET_IN_USE, "somebody else");
	target_release(&t, &first);
	assert_int_equal(first, -1);
	assert_int_not_equal(access(t.run, F_OK), 0);
	second = target_hold(&t, 0, &e);
	assert_true(second >= 0);
	target_release(&t, &second);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_canonical),
		cmocka_unit_test(test_exchanged),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_file_in_the_way),
		cmocka_unit_test(test_id_of),
		cmocka_unit_test(test_hold),
	};

	return cmocka_run_group_tests(tests, make_folder, NULL);
}
