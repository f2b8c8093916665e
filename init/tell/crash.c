// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "init/tell/crash.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "init/tell/leave.h"
#include "init/tell/watchdog.h"
#include "lib/array.h"

static const struct plan_failure *how_to_fail;
static const char *const *failing_step;
static pid_t owner;

/* For the handler: the one that there is may be what is broken. */
static char stack[65536];

static void tell(int signal)
{
	struct err e = { 0 };

	/* Another process than the one that asked, the watchdog say, merely ends. */
	if (getpid() != owner)
		_exit(1);
	(void)err_set(&e, FAIL_INIT_CRASHED, EFAULT, "socle-init was killed by signal %d (%s)",
		      signal, strsignal(signal));
	watchdog_stop();
	leave(how_to_fail, *failing_step, &e);
}

void crash_catch(const struct plan_failure *failure, const char *const *step)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS };
	const stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = {
		.sa_handler = tell,
		.sa_flags = (int)(SA_ONSTACK | SA_RESETHAND),
	};

	how_to_fail = failure;
	failing_step = step;
	owner = getpid();
	/* All others wait, so that a second one of these is the end. */
	sigfillset(&action.sa_mask);
	(void)sigaltstack(&other, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		(void)sigaction(signals[i], &action, NULL);
}
