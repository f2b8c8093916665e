// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <errno.h>
#include <linux/mount.h>
#include <string.h>

#include "mount/fs/fsmount.h"
#include "tests/unit/fake_sys.h"

static const struct fs_option options[] = {
	{ "source", "/dev/dm-0" },
	{ "ro", NULL },
	{ "name", "a,b=c:d\\" },
};

static const struct fs_mount example = {
	.type = "erofs",
	.options = options,
	.option_count = ARRAY_SIZE(options),
	.attributes = MOUNT_ATTR_RDONLY,
	.target = "/layers/0",
	.code = FAIL_MOUNT_FAILED,
};

/* An option is handed over as it is, whatever it holds. */
static const char expected[] = "fsopen erofs\n"
			       "fsconfig string source /dev/dm-0\n"
			       "fsconfig flag ro -\n"
			       "fsconfig string name a,b=c:d\\\n"
			       "fsconfig create - -\n"
			       "fsmount 0x1\n"
			       "move_mount /layers/0\n";
#define CALLS 7

static void test_order(void **state)
{
	size_t fds = open_fds();
	struct err e = { 0 };

	(void)state;
	fake_sys_reset(0, 0);
	expect_success("mount", fs_mount(&example, &e), &e);
	assert_string_equal(fake_sys.log, expected);
	assert_int_equal(fake_sys.calls, CALLS);
	assert_int_equal(open_fds(), fds);
}

static void test_each_call_fails(void **state)
{
	static const int errnos[] = { EIO, ENODEV, EINVAL, ENOMEM, EPERM };
	static const char *const words[CALLS] = {
		"file system erofs",
		"mount erofs on /layers/0: source=/dev/dm-0: ",
		"mount erofs on /layers/0: ro: ",
		"mount erofs on /layers/0: name=a,b=c:d\\: ",
		"mount erofs on /layers/0: create: ",
		"mount erofs on /layers/0: fsmount: ",
		"mount erofs on /layers/0: move_mount: ",
	};
	size_t fds = open_fds();

	(void)state;
	for (unsigned int call = 1; call <= CALLS; call++)
		for (size_t i = 0; i < ARRAY_SIZE(errnos); i++) {
			struct err e = { 0 };
			enum fail_code code = call == 1 && errnos[i] == ENODEV ?
						      FAIL_KERNEL_FEATURE_MISSING :
						      FAIL_MOUNT_FAILED;
			int r;

			fake_sys_reset(call, errnos[i]);
			r = fs_mount(&example, &e);
			expect_failure(words[call - 1], r, &e, code, words[call - 1]);
			assert_int_equal(r, -errnos[i]);
			if (call > 1)
				assert_non_null(strstr(e.text, strerror(errnos[i])));
			/* nothing happens behind it */
			assert_int_equal(fake_sys.calls, call);
			assert_memory_equal(fake_sys.log, expected, fake_sys.used);
			assert_int_equal(open_fds(), fds);
		}
}

/* The mount context's log: its first error goes into the sentence. */
static void test_the_kernels_words(void **state)
{
	static const struct {
		const char *log;
		const char *text;
	} rows[] = {
		{ NULL, "create: Invalid argument" },
		{ "e erofs: blkszbits 14 isn't supported\n", /* blocks of 16 KiB */
		  "create: Invalid argument (erofs: blkszbits 14 isn't supported)" },
		{ "w something\ni else\ne first\ne second\n", "create: Invalid argument (first)" },
		{ "e no newline", "create: Invalid argument (no newline)" },
		{ "w only a warning\n", "create: Invalid argument" },
		{ "e \x1b[31mred\n", "create: Invalid argument (?[31mred)" },
		{ "e\nx\n", "create: Invalid argument" },
	};
	size_t fds = open_fds();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err e = { 0 };

		fake_sys_reset(5, EINVAL);
		fake_sys.kernel_words = rows[i].log;
		expect_failure("words", fs_mount(&example, &e), &e, FAIL_MOUNT_FAILED,
			       rows[i].text);
		assert_string_equal(strstr(e.text, "create:"), rows[i].text);
		assert_int_equal(open_fds(), fds);
	}
}

static void test_long_words(void **state)
{
	static char words[2000];
	struct err e = { 0 };

	(void)state;
	memset(words, 'x', sizeof(words) - 1);
	memcpy(words, "e ", 2);
	fake_sys_reset(5, EINVAL);
	fake_sys.kernel_words = words;
	expect_failure("long", fs_mount(&example, &e), &e, FAIL_MOUNT_FAILED, "xxxx)");
	assert_true(strlen(e.text) < 400);
}

static void test_code_of_the_caller(void **state)
{
	struct fs_mount m = example;
	struct err e = { 0 };

	(void)state;
	m.code = FAIL_OVERLAY_FAILED;
	m.option_count = 0;
	fake_sys_reset(1, EPERM);
	expect_failure("fsopen", fs_mount(&m, &e), &e, FAIL_OVERLAY_FAILED, "not permitted");
	fake_sys_reset(3, EPERM);
	expect_failure("fsmount", fs_mount(&m, &e), &e, FAIL_OVERLAY_FAILED, "fsmount: ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_each_call_fails),
		cmocka_unit_test(test_the_kernels_words),
		cmocka_unit_test(test_long_words),
		cmocka_unit_test(test_code_of_the_caller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
