// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* The way out of a boot that failed: what is said, in which order, and how it ends. */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init/tell/leave.h"
#include "init/tell/report.h"
#include "lib/io.h"
#include "lib/sys.h"

#define LINE "socle: FAILED step=mounts volume=layer-1 code=MOUNT_FAILED: mount it"

/* What one way out did, as another process sees it. */
static struct outcome {
	char calls[2048]; /* a line each */
	int status;
	char kmsg[2048], limit[32];
	char sysrq[8], panic[8], oom[8], reserve[16];
} * outcome;

static const struct plan_failure *failure;
static const char *step;
static struct err e;
static bool keep_open, in_limiter;

__attribute__((format(printf, 1, 2))) static int call(const char *fmt, ...)
{
	size_t used = strlen(outcome->calls);
	va_list args;

	va_start(args, fmt);
	vsnprintf(outcome->calls + used, sizeof(outcome->calls) - used, fmt, args);
	va_end(args);
	return 0;
}

int sys_fork(void)
{
	call("fork\n");
	return in_limiter ? 0 : 1;
}

int sys_console_level(int level)
{
	return call("console_level %d\n", level);
}

int sys_reboot(unsigned int command)
{
	return call("reboot %#x\n", command);
}

void report_keep_open(const struct plan_failure *f)
{
	assert_ptr_equal(f, failure);
	call("report_keep_open\n");
}

void report_line(const struct plan_failure *f, const char *line)
{
	assert_ptr_equal(f, failure);
	call("report %s", line);
}

void report_drain(int fd)
{
	call("drain %s\n", fcntl(fd, F_GETFL) & O_NONBLOCK ? "console" : "something else");
}

/* A signal wakes it up once. */
unsigned int sleep(unsigned int seconds)
{
	call("sleep %u\n", seconds);
	return seconds > 3 ? 3 : 0;
}

static void fill(int dir)
{
	put_text(dir, "dev/kmsg", "");
	put_text(dir, "dev/console", "");
	put_text(dir, "proc/sys/kernel/printk_devkmsg", "ratelimit\n");
	put_text(dir, "proc/sysrq-trigger", "");
	put_text(dir, "proc/sys/kernel/panic", "");
	put_text(dir, "proc/sys/vm/panic_on_oom", "");
	put_text(dir, "proc/sys/vm/min_free_kbytes", "");
}

static void fill_nothing(int dir)
{
	(void)dir;
}

static void read_back(const char *path, char *text, size_t size)
{
	if (io_read_text(AT_FDCWD, path, text, size) < 0)
		strcpy(text, "?");
}

static void run(void *shared)
{
	struct outcome *o = shared;
	pid_t child = fork();

	if (!child) {
		alarm(20);
		if (keep_open) {
			leave_keep_open(failure);
			unlink("/dev/console");
		}
		leave(failure, step, &e);
	}
	assert_int_equal(waitpid(child, &o->status, 0), child);
	read_back("/dev/kmsg", o->kmsg, sizeof(o->kmsg));
	read_back("/proc/sys/kernel/printk_devkmsg", o->limit, sizeof(o->limit));
	read_back("/proc/sysrq-trigger", o->sysrq, sizeof(o->sysrq));
	read_back("/proc/sys/kernel/panic", o->panic, sizeof(o->panic));
	read_back("/proc/sys/vm/panic_on_oom", o->oom, sizeof(o->oom));
	read_back("/proc/sys/vm/min_free_kbytes", o->reserve, sizeof(o->reserve));
}

static void leave_as(const struct plan_failure *how, void (*make)(int dir))
{
	if (!outcome)
		outcome = shared_memory(sizeof(*outcome));
	memset(outcome, 0, sizeof(*outcome));
	failure = how;
	if (in_own_root(make, run, outcome))
		skip();
}

static int setup(void **state)
{
	(void)state;
	keep_open = in_limiter = false;
	step = "mounts";
	memset(&e, 0, sizeof(e));
	(void)err_set(&e, FAIL_MOUNT_FAILED, 1, "mount it");
	err_volume(&e, -EIO, "layer-1");
	return 0;
}

/* The limit first, then the line everywhere, then the consoles' time, then the end. */
static void test_ways_to_end(void **state)
{
	static const struct {
		struct plan_failure failure;
		const char *calls;
	} rows[] = {
		{ { .how = PLAN_ON_FAILURE_POWEROFF }, "reboot 0x4321fedc\nreboot 0x1234567\n" },
		{ { .how = PLAN_ON_FAILURE_REBOOT }, "reboot 0x1234567\nreboot 0x1234567\n" },
		{ { .how = PLAN_ON_FAILURE_HALT }, "reboot 0xcdef0123\nreboot 0x1234567\n" },
		{ { .how = PLAN_ON_FAILURE_PANIC }, "" },
	};
	char expected[512];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		leave_as(&rows[i].failure, fill);
		snprintf(expected, sizeof(expected),
			 "fork\nconsole_level 7\nreport " LINE "\ndrain console\n%s",
			 rows[i].calls);
		assert_string_equal(outcome->calls, expected);
		assert_string_equal(outcome->kmsg, "<0>" LINE "\n");
		assert_memory_equal(outcome->limit, "on\n", 3);
		assert_string_equal(outcome->sysrq, "");
		assert_true(WIFEXITED(outcome->status));
		assert_int_equal(WEXITSTATUS(outcome->status), 1);
	}
}

/* After the hand-over has begun /dev is elsewhere: what was opened before counts. */
static void test_kept_console(void **state)
{
	static const struct plan_failure poweroff = { .how = PLAN_ON_FAILURE_POWEROFF };

	(void)state;
	keep_open = true;
	leave_as(&poweroff, fill);
	assert_memory_equal(outcome->calls, "report_keep_open\nfork\n", 22);
	assert_non_null(strstr(outcome->calls, "\ndrain console\nreboot 0x4321fedc\n"));
}

/* Without a console, without a log and without the file of the limit. */
static void test_nothing_to_tell_it_on(void **state)
{
	static const struct plan_failure poweroff = { .how = PLAN_ON_FAILURE_POWEROFF };

	(void)state;
	leave_as(&poweroff, fill_nothing);
	assert_string_equal(outcome->calls, "fork\nconsole_level 7\nreport " LINE
					    "\nreboot 0x4321fedc\nreboot 0x1234567\n");
}

/* A failure of no volume, and one whose line does not fit: it is a line all the same. */
static void test_lines(void **state)
{
	static const struct plan_failure panic = { .how = PLAN_ON_FAILURE_PANIC };
	static char name[1001];
	const char *line;

	(void)state;
	e.volume[0] = '\0';
	leave_as(&panic, fill);
	assert_non_null(strstr(outcome->calls, "report socle: FAILED step=mounts volume=- code="));
	memset(name, 's', sizeof(name) - 1);
	for (size_t length = 880; length < sizeof(name); length += length < 930 ? 1 : 70) {
		step = name + sizeof(name) - 1 - length;
		leave_as(&panic, fill);
		line = strstr(outcome->calls, "report socle: FAILED step=ss");
		assert_non_null(line);
		assert_non_null(strchr(line, '\n'));
		assert_string_equal(strchr(line, '\n'), "\ndrain console\n");
		assert_true(strlen(outcome->kmsg) > 880);
		assert_string_equal(outcome->kmsg + strlen(outcome->kmsg) - 1, "\n");
	}
}

/* Whoever watches the clock asks no device, and gives it all of its time. */
static void test_limit(void **state)
{
	static const struct plan_failure poweroff = { .how = PLAN_ON_FAILURE_POWEROFF };

	(void)state;
	in_limiter = true;
	leave_as(&poweroff, fill);
	assert_string_equal(outcome->calls, "fork\nsleep 40\nsleep 3\n");
	assert_string_equal(outcome->sysrq, "b");
	assert_string_equal(outcome->panic, "-1");
	assert_string_equal(outcome->oom, "2");
	assert_string_equal(outcome->reserve, "2147483647");
	assert_int_equal(outcome->status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_ways_to_end, setup),
		cmocka_unit_test_setup(test_kept_console, setup),
		cmocka_unit_test_setup(test_nothing_to_tell_it_on, setup),
		cmocka_unit_test_setup(test_lines, setup),
		cmocka_unit_test_setup(test_limit, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
