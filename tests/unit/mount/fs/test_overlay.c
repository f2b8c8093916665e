// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "mount/fs/overlay.h"
#include "mount/fs/tmpfs.h"
#include "tests/unit/fake_sys.h"

static const char *const lowerdirs[] = { "/layers/0", "/layers/1", "/layers/2" };

/* Every layer by itself, topmost first. */
static void test_with_upper(void **state)
{
	static const struct overlay o = {
		.lowerdirs = lowerdirs,
		.count = ARRAY_SIZE(lowerdirs),
		.upperdir = "/upper/upper",
		.workdir = "/upper/work",
		.source = "socle",
		.target = "/sysroot",
	};
	struct err e = { 0 };

	(void)state;
	fake_sys_reset(0, 0);
	expect_success("overlay", overlay_mount(&o, &e), &e);
	assert_string_equal(fake_sys.log, "fsopen overlay\n"
					  "fsconfig string source socle\n"
					  "fsconfig string lowerdir+ /layers/0\n"
					  "fsconfig string lowerdir+ /layers/1\n"
					  "fsconfig string lowerdir+ /layers/2\n"
					  "fsconfig string upperdir /upper/upper\n"
					  "fsconfig string workdir /upper/work\n"
					  "fsconfig create - -\n"
					  "fsmount 0\n"
					  "move_mount /sysroot\n");
}

static void test_without_upper(void **state)
{
	static const struct overlay o = {
		.lowerdirs = lowerdirs,
		.count = 2,
		.source = "socle",
		.target = "/sysroot",
	};
	struct err e = { 0 };

	(void)state;
	fake_sys_reset(0, 0);
	expect_success("overlay", overlay_mount(&o, &e), &e);
	assert_string_equal(fake_sys.log, "fsopen overlay\n"
					  "fsconfig string source socle\n"
					  "fsconfig string lowerdir+ /layers/0\n"
					  "fsconfig string lowerdir+ /layers/1\n"
					  "fsconfig create - -\n"
					  "fsmount 0x1\n"
					  "move_mount /sysroot\n");
}

/* A list that the kernel cuts short is a failure, never a shorter root. */
static void test_each_call_fails(void **state)
{
	static const struct overlay o = {
		.lowerdirs = lowerdirs,
		.count = ARRAY_SIZE(lowerdirs),
		.upperdir = "/upper/upper",
		.workdir = "/upper/work",
		.source = "socle",
		.target = "/sysroot",
	};
	size_t fds = open_fds();

	(void)state;
	for (unsigned int call = 1; call <= 10; call++) {
		struct err e = { 0 };

		fake_sys_reset(call, EINVAL);
		expect_failure("call", overlay_mount(&o, &e), &e, FAIL_OVERLAY_FAILED, "overlay");
		assert_int_equal(fake_sys.calls, call);
		assert_int_equal(open_fds(), fds);
	}
}

/* As many as the kernel takes, each set by itself: they would not fit into one page. */
static void test_layer_limit(void **state)
{
	static const char *many[LAYERS_MAX + 1];
	struct overlay o = {
		.lowerdirs = many,
		.count = LAYERS_MAX,
		.upperdir = "/upper/upper",
		.workdir = "/upper/work",
		.source = "socle",
		.target = "/sysroot",
	};
	size_t lines = 0;
	struct err e = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = "/a/rather/long/path/so/that/all/of/them/exceed/one/page/of/options";
	fake_sys_reset(0, 0);
	expect_success("127", overlay_mount(&o, &e), &e);
	for (const char *at = fake_sys.log; (at = strstr(at, "lowerdir+")); at++)
		lines++;
	assert_int_equal(lines, 127);
	o.count++;
	fake_sys_reset(0, 0);
	expect_failure("128", overlay_mount(&o, &e), &e, FAIL_LIMIT_EXCEEDED,
		       "128 layers, at most 127");
	assert_int_equal(fake_sys.calls, 0);
}

static const char upper_calls[] = "fsopen tmpfs\n"
				  "fsconfig string source socle-upper\n"
				  "fsconfig string mode 0755\n"
				  "fsconfig string size 50%\n"
				  "fsconfig create - -\n"
				  "fsmount 0\n"
				  "move_mount /upper\n"
				  "mkdir /upper/upper 0755\n"
				  "mkdir /upper/work 0755\n"
				  "setxattr /upper/upper trusted.overlay.socle y\n"
				  "removexattr /upper/upper trusted.overlay.socle\n";
#define SETXATTR_CALL    10
#define REMOVEXATTR_CALL 11

/* As a boot does. */
static int make_upper(const char *target, const char *size, struct err *e)
{
	int r = tmpfs_mount("socle-upper", target, size, FAIL_OVERLAY_FAILED, e);

	return r ? r : overlay_make_upper(target, e);
}

static void test_make_upper(void **state)
{
	struct err e = { 0 };

	(void)state;
	fake_sys_reset(0, 0);
	expect_success("upper", make_upper("/upper", "50%", &e), &e);
	assert_string_equal(fake_sys.log, upper_calls);
	fake_sys_reset(0, 0);
	expect_success("default size", make_upper("/upper", "", &e), &e);
	assert_null(strstr(fake_sys.log, "size"));
}

static void test_make_upper_fails(void **state)
{
	size_t fds = open_fds();

	(void)state;
	for (unsigned int call = 1; call <= REMOVEXATTR_CALL; call++) {
		struct err e = { 0 };

		fake_sys_reset(call, EIO);
		expect_failure("call", make_upper("/upper", "50%", &e), &e, FAIL_OVERLAY_FAILED,
			       strerror(EIO));
		assert_int_equal(fake_sys.calls, call);
		assert_memory_equal(fake_sys.log, upper_calls, fake_sys.used);
		assert_int_equal(open_fds(), fds);
	}
}

/* An upper without trusted.* would lose deletions. */
static void test_trusted_xattrs(void **state)
{
	struct err e = { 0 };

	(void)state;
	fake_sys_reset(SETXATTR_CALL, EOPNOTSUPP);
	expect_failure("unsupported", make_upper("/upper", "50%", &e), &e,
		       FAIL_KERNEL_FEATURE_MISSING, "CONFIG_TMPFS_XATTR");
	fake_sys_reset(SETXATTR_CALL, ENOSPC);
	expect_failure("no room", make_upper("/upper", "50%", &e), &e, FAIL_OVERLAY_FAILED,
		       "set an extended attribute on /upper/upper: No space left");
	fake_sys_reset(REMOVEXATTR_CALL, EIO);
	expect_failure("not removed", make_upper("/upper", "50%", &e), &e, FAIL_OVERLAY_FAILED,
		       "/upper/upper");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_with_upper),      cmocka_unit_test(test_without_upper),
		cmocka_unit_test(test_each_call_fails), cmocka_unit_test(test_layer_limit),
		cmocka_unit_test(test_make_upper),      cmocka_unit_test(test_make_upper_fails),
		cmocka_unit_test(test_trusted_xattrs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
