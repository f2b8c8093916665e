// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "init/tell/watchdog.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "init/tell/leave.h"
#include "lib/clock.h"
#include "lib/sys.h"

/* What the two processes share. */
struct progress {
	volatile int64_t deadline_ms;
	pid_t teller; /* who alone may end this boot, for good or ill; 0: nobody yet */
	char step[32];
	struct plan_failure failure;
};

static struct progress *shared;
static pid_t child = -1;

static void sleep_ms(int64_t ms)
{
	struct timespec left = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

/*
 * One of the two goes on, to the agent or to a failure, and the other never does. Asked and
 * answered at once: a host can stop a processor between any two instructions.
 */
static bool claim(void)
{
	pid_t nobody = 0;

	return __atomic_compare_exchange_n(&shared->teller, &nobody, getpid(), false,
					   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

_Noreturn static void watch(void)
{
	struct err e = { 0 };

	for (;;) {
		int64_t left = shared->deadline_ms - clock_ms();

		if (left <= 0)
			break;
		sleep_ms(left);
	}
	if (!claim())
		_exit(0);
	(void)err_set(&e, FAIL_BOOT_STALLED, ETIMEDOUT,
		      "the step did not finish: a disk or a bus does not respond");
	leave(&shared->failure, shared->step, &e);
}

static void share(void)
{
	void *memory = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory != MAP_FAILED)
		shared = memory;
}

/* A disk that answers after all must not bring a boot back that was told to have failed. */
_Noreturn static void yield_to_watchdog(void)
{
	for (;;)
		(void)pause();
}

void watchdog_step(const char *step, unsigned int devices_s, const struct plan_failure *failure)
{
	pid_t teller;

	if (!shared)
		share();
	if (!shared)
		return;
	teller = __atomic_load_n(&shared->teller, __ATOMIC_SEQ_CST);
	/* The agent could not be executed after all: its failure is ours to tell. */
	if (teller == getpid())
		return;
	if (teller)
		yield_to_watchdog();
	shared->failure = *failure;
	strncpy(shared->step, step, sizeof(shared->step) - 1);
	shared->deadline_ms = clock_ms() + (devices_s + WATCHDOG_STEP_S) * INT64_C(1000);
	if (child > 0)
		return;
	child = sys_fork();
	if (!child)
		watch();
}

void watchdog_stop(void)
{
	if (child <= 0)
		return;
	if (!claim())
		yield_to_watchdog();
	(void)kill(child, SIGKILL);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	child = -1;
}
