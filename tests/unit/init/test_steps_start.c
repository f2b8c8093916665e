// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* What init does before it looks for devices: file systems, the plan, modules. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "init/plan/cmdline.h"
#include "lib/io.h"
#include "tests/unit/fake_boot.h"
#include "tests/unit/fake_verity.h"

/* Everything is mounted by us; what is there already is fine. */
static const char api_calls[] = "mkdir /dev 0755\n"
				"mount dev /dev type=devtmpfs flags=0x2 options=mode=755\n"
				"mkdir /proc 0755\n"
				"mount proc /proc type=proc flags=0xe options=-\n"
				"mkdir /sys 0755\n"
				"mount sysfs /sys type=sysfs flags=0xe options=-\n"
				"mkdir /run 0755\n"
				"mount run /run type=tmpfs flags=0x6 options=mode=755,size=50%\n";

static void test_api(void **state)
{
	const struct step_result *result;

	(void)state;
	fake_verity_reset(0, 0);
	result = run_step_in_root(step_api, fill_nothing);
	expect_success("api", result->r, &result->e);
	assert_string_equal(result->log, api_calls);
	for (unsigned int call = 1; call <= 8; call++) {
		fake_verity_reset(call, call % 2 ? EEXIST : EBUSY);
		result = run_step_in_root(step_api, fill_nothing);
		expect_success("there already", result->r, &result->e);
		assert_string_equal(result->log, api_calls);
		fake_verity_reset(call, EIO);
		result = run_step_in_root(step_api, fill_nothing);
		expect_failure("call", result->r, &result->e,
			       call % 2 ? FAIL_SYSTEM_CALL_FAILED : FAIL_MOUNT_FAILED,
			       strerror(EIO));
		assert_int_equal(result->calls, call);
	}
	fake_verity_reset(2, ENODEV);
	result = run_step_in_root(step_api, fill_nothing);
	expect_failure("no devtmpfs", result->r, &result->e, FAIL_KERNEL_FEATURE_MISSING,
		       "the kernel has no file system devtmpfs: CONFIG_DEVTMPFS");
}

static const char *panic_says;
static bool has_console, has_null;

static void fill_console(int dir)
{
	if (has_console)
		put_text(dir, "dev/console", "");
	if (has_null)
		put_text(dir, "dev/null", "");
	if (panic_says)
		put_text(dir, "proc/sys/kernel/panic", panic_says);
}

/* What the kernel does after a panic is read back into the agent's name. */
static int api_and_look(struct boot *b, struct err *e)
{
	int lowest, r;

	lowest = dup(STDERR_FILENO);
	close(lowest);
	r = step_api(b, e);
	/* a descriptor above the three is closed again */
	if (!r && dup(STDERR_FILENO) != lowest)
		r = -EMFILE;
	if (io_read_text(AT_FDCWD, "/proc/sys/kernel/panic", b->plan.agent, sizeof(b->plan.agent)) <
	    0)
		b->plan.agent[0] = '\0';
	return r;
}

static void test_console_and_panic(void **state)
{
	static const struct {
		bool console, null;
		const char *panic, *panic_after;
		const char *log; /* behind the mounts */
	} rows[] = {
		{ true, true, "0\n", "1\n", "dup2 0\ndup2 1\ndup2 2\n" },
		{ true, false, "10\n", "10\n", "dup2 0\ndup2 1\ndup2 2\n" },
		{ false, true, "-1\n", "-1\n", "dup2 0\ndup2 1\ndup2 2\n" },
		{ false, false, NULL, "", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct step_result *result;

		has_console = rows[i].console;
		has_null = rows[i].null;
		panic_says = rows[i].panic;
		fake_verity_reset(0, 0);
		result = run_step_in_root(api_and_look, fill_console);
		expect_success("api", result->r, &result->e);
		assert_non_null(strstr(result->log, rows[i].log));
		assert_int_equal(strstr(result->log, "dup2") != NULL, rows[i].log[0] != 0);
		assert_string_equal(result->agent, rows[i].panic_after);
	}
}

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static char cmdline[CMDLINE_SIZE + 1];

static void fill_cmdline(int dir)
{
	put_text(dir, "proc/cmdline", cmdline);
}

/* Where the kernel opened none of the three, the console becomes the first, and stays. */
static int api_without_input(struct boot *b, struct err *e)
{
	int r;

	close(STDIN_FILENO);
	r = step_api(b, e);
	return r || fcntl(STDIN_FILENO, F_GETFD) >= 0 ? r : -EBADF;
}

static void test_no_standard_input(void **state)
{
	const struct step_result *result;

	(void)state;
	has_console = true;
	fake_verity_reset(0, 0);
	result = run_step_in_root(api_without_input, fill_console);
	expect_success("kept", result->r, &result->e);
	assert_null(strstr(result->log, "dup2 0"));
	assert_non_null(strstr(result->log, "dup2 1\ndup2 2\n"));
	has_console = false;
}

static void test_plan(void **state)
{
	static const char line[] =
		"socle.length=123 quiet socle.layer=/dev/vda,data_blocks=1,root_hash=" HASH
		" socle.agent=/a\n";
	const struct step_result *result;

	(void)state;
	strcpy(cmdline, line);
	result = run_step_in_root(step_plan, fill_cmdline);
	expect_success("plan", result->r, &result->e);
	assert_string_equal(result->agent, "/a");
	/* the newline is procfs' own, also behind a quote that nothing closes */
	strcpy(cmdline, "roothash=" HASH " init=\"/a b\n");
	result = run_step_in_root(step_plan, fill_cmdline);
	expect_success("quote", result->r, &result->e);
	assert_string_equal(result->agent, "/a b");
	result = run_step_in_root(step_plan, fill_nothing);
	expect_failure("no proc", result->r, &result->e, FAIL_SYSTEM_CALL_FAILED,
		       "read /proc/cmdline: No such file");
	memset(cmdline, 'x', sizeof(cmdline) - 1);
	result = run_step_in_root(step_plan, fill_cmdline);
	expect_failure("too long", result->r, &result->e, FAIL_LIMIT_EXCEEDED,
		       "more than 32767 bytes");
	strcpy(cmdline, "");
	result = run_step_in_root(step_plan, fill_cmdline);
	expect_failure("empty", result->r, &result->e, FAIL_NO_ROOT, "names no root");
	strcpy(cmdline, "\n");
	result = run_step_in_root(step_plan, fill_cmdline);
	expect_failure("newline", result->r, &result->e, FAIL_NO_ROOT, "names no root");
}

static const char *modules_list, *modules_cmdline = "quiet\n";

static void fill_modules(int dir)
{
	if (modules_cmdline)
		put_text(dir, "proc/cmdline", modules_cmdline);
	put_text(dir, "etc/socle/modules/a.ko", "A");
	put_text(dir, "etc/socle/modules/b.ko", "B");
	put_text(dir, "etc/socle/modules/load", modules_list);
}

static void fill_folder_alone(int dir)
{
	put_dir(dir, "etc/socle/modules");
}

static void test_modules(void **state)
{
	static const struct {
		const char *list;
		unsigned int fail_call;
		int fail_errno;
		const char *log;
		const char *words; /* NULL: it goes on */
	} rows[] = {
		{ "", 0, 0, "", NULL },
		{ "a.ko\nb.ko\n", 0, 0, "finit_module A params=\nfinit_module B params=\n", NULL },
		{ "\n\nb.ko\n\na.ko", 0, 0, "finit_module B params=\nfinit_module A params=\n",
		  NULL },
		{ "a.ko\nb.ko\n", 1, EEXIST, "finit_module A params=\nfinit_module B params=\n",
		  NULL },
		{ "a.ko\nb.ko\n", 1, ENOEXEC, "finit_module A params=\n",
		  "load the kernel module a.ko: Exec format error: it was built for another "
		  "kernel, or is damaged" },
		{ "a.ko\nb.ko\n", 2, EKEYREJECTED,
		  "finit_module A params=\nfinit_module B params=\n",
		  "module b.ko: Key was rejected by service: the kernel accepts only modules that "
		  "are signed" },
		{ "a.ko\n", 1, ENOENT, "finit_module A params=\n", "a symbol that the kernel" },
		{ "a.ko\n", 1, E2BIG, "finit_module A params=\n",
		  "load the kernel module a.ko: Argument list too long" },
		{ "-a.ko\nb.ko\n", 1, ENODEV, "finit_module A params=\nfinit_module B params=\n",
		  NULL },
		{ "absent.ko\na.ko\n", 0, 0, "", "open the kernel module absent.ko: No such file" },
		{ "-absent.ko\na.ko\n", 0, 0, "finit_module A params=\n", NULL },
	};
	const struct step_result *result;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		modules_list = rows[i].list;
		fake_verity_reset(rows[i].fail_call, rows[i].fail_errno);
		result = run_step_in_root(step_modules, fill_modules);
		if (rows[i].words)
			expect_failure(rows[i].list, result->r, &result->e, FAIL_MODULE_FAILED,
				       rows[i].words);
		else
			expect_success(rows[i].list, result->r, &result->e);
		assert_string_equal(result->log, rows[i].log);
	}
}

/* What the line says to a module, which the kernel leaves to us. */
static void test_parameters_of_modules(void **state)
{
	static char much[CMDLINE_SIZE];
	const struct step_result *result;

	(void)state;
	modules_list = "b.ko\n-a.ko\n";
	modules_cmdline = "a.x=1 quiet b.y\n";
	fake_verity_reset(0, 0);
	result = run_step_in_root(step_modules, fill_modules);
	assert_string_equal(result->log,
			    "finit_module B params=y\nfinit_module A params=x=\"1\"\n");
	modules_cmdline = NULL;
	result = run_step_in_root(step_modules, fill_modules);
	expect_failure("no line", result->r, &result->e, FAIL_MODULE_FAILED,
		       "read /proc/cmdline: No such file");
	/* each gets longer by one in its quotes; no module is loaded without all of them */
	modules_cmdline = much;
	for (size_t i = 0; i + 4 < sizeof(much); i += 4)
		memcpy(much + i, ".x= ", 4);
	for (unsigned int i = 0; i < 2; i++) {
		modules_list = i ? "-.ko\n" : ".ko\n";
		result = run_step_in_root(step_modules, fill_modules);
		expect_failure("too much", result->r, &result->e, FAIL_MODULE_FAILED,
			       "parameters of .ko in /proc/cmdline: Argument list too long");
		assert_int_equal(result->calls, 0);
	}
	modules_cmdline = "quiet\n";
}

/* No list is no module; one that cannot be read whole is a failure. */
static void test_lists_of_modules(void **state)
{
	static char longest[16385];
	const struct step_result *result;

	(void)state;
	fake_verity_reset(0, 0);
	result = run_step_in_root(step_modules, fill_nothing);
	expect_success("no folder", result->r, &result->e);
	result = run_step_in_root(step_modules, fill_folder_alone);
	expect_success("no list", result->r, &result->e);
	memset(longest, '\n', sizeof(longest) - 2);
	modules_list = longest;
	result = run_step_in_root(step_modules, fill_modules);
	expect_success("16383 bytes", result->r, &result->e);
	memset(longest, '\n', sizeof(longest) - 1);
	result = run_step_in_root(step_modules, fill_modules);
	expect_failure("16384 bytes", result->r, &result->e, FAIL_MODULE_FAILED,
		       "modules/load: File too large");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_api),
		cmocka_unit_test(test_console_and_panic),
		cmocka_unit_test(test_no_standard_input),
		cmocka_unit_test(test_plan),
		cmocka_unit_test(test_modules),
		cmocka_unit_test(test_parameters_of_modules),
		cmocka_unit_test(test_lists_of_modules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
