// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* One of two processes ends a boot: the one that went on, or the one that watched. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init/tell/leave.h"
#include "init/tell/watchdog.h"

/* A step whose time is over when it begins: the sum is 0. */
#define OVER_ALREADY (0U - WATCHDOG_STEP_S)
#define LONG         1000

static struct seen {
	volatile int told;  /* how often leave() was called */
	volatile int began; /* the watched process came to the point of the test */
	volatile int went_on;
	volatile pid_t teller, watched;
	char step[32];
	struct err e;
	struct plan_failure failure;
} * seen;

_Noreturn void leave(const struct plan_failure *failure, const char *step, const struct err *e)
{
	strncpy(seen->step, step, sizeof(seen->step) - 1);
	seen->e = *e;
	seen->failure = *failure;
	seen->teller = getpid();
	seen->told++;
	_exit(0);
}

static const struct plan_failure failure = { .vsock_port = 17, .how = PLAN_ON_FAILURE_HALT };

static void await(volatile int *flag)
{
	for (int i = 0; i < 1000 && !*flag; i++)
		usleep(10000);
	assert_true(*flag);
}

/* What happens to a process; it is ended where it does not end by itself. */
static int in_process(void (*run)(void))
{
	int status = -1;
	pid_t child;

	if (!seen)
		seen = shared_memory(sizeof(*seen));
	memset(seen, 0, sizeof(*seen));
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		alarm(20);
		seen->watched = getpid();
		run();
		_exit(7);
	}
	await(&seen->began);
	/* time to go on, for one that should not */
	for (int i = 0; i < 30 && waitpid(child, &status, WNOHANG) == 0; i++)
		usleep(10000);
	if (status == -1) {
		(void)kill(child, SIGKILL);
		assert_int_equal(waitpid(child, &status, 0), child);
	}
	return status;
}

static void await_teller(void)
{
	for (int i = 0; i < 1000 && !seen->told; i++)
		usleep(10000);
}

static void late(void)
{
	watchdog_step("mounts", OVER_ALREADY, &failure);
	await_teller();
	seen->began = 1;
	watchdog_step("handover", LONG, &failure);
	seen->went_on = 1;
}

/* It is told once, by the other process, and this one never goes on. */
static void test_late_step(void **state)
{
	int status = in_process(late);

	(void)state;
	assert_true(WIFSIGNALED(status));
	assert_int_equal(seen->told, 1);
	assert_int_not_equal(seen->teller, seen->watched);
	assert_int_equal(seen->went_on, 0);
	assert_string_equal(seen->step, "mounts");
	assert_int_equal(seen->e.code, FAIL_BOOT_STALLED);
	assert_non_null(strstr(seen->e.text, "did not finish"));
	assert_memory_equal(&seen->failure, &failure, sizeof(failure));
}

static void stop_when_told(void)
{
	watchdog_step("mounts", OVER_ALREADY, &failure);
	await_teller();
	seen->began = 1;
	watchdog_stop();
	seen->went_on = 1;
}

static void test_stop_too_late(void **state)
{
	int status = in_process(stop_when_told);

	(void)state;
	assert_true(WIFSIGNALED(status));
	assert_int_equal(seen->told, 1);
	assert_int_equal(seen->went_on, 0);
}

/* In time: the other process is gone, and a step after that watches nobody. */
static void in_time(void)
{
	static const struct plan_failure other = { .how = PLAN_ON_FAILURE_PANIC };

	watchdog_step("api", LONG, &other);
	watchdog_step("mounts", LONG, &failure);
	if (waitpid(-1, NULL, WNOHANG))
		_exit(1);
	watchdog_stop();
	if (waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD)
		_exit(2);
	watchdog_stop();
	watchdog_step("handover", OVER_ALREADY, &failure);
	if (waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD)
		_exit(3);
	seen->went_on = 1;
	seen->began = 1;
}

static void test_in_time(void **state)
{
	int status = in_process(in_time);

	(void)state;
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
	assert_int_equal(seen->went_on, 1);
	assert_int_equal(seen->told, 0);
}

static void never_watched(void)
{
	watchdog_stop();
	seen->began = 1;
}

static void test_nobody_watches(void **state)
{
	int status = in_process(never_watched);

	(void)state;
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	assert_int_equal(seen->told, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_late_step),
		cmocka_unit_test(test_stop_too_late),
		cmocka_unit_test(test_in_time),
		cmocka_unit_test(test_nobody_watches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
