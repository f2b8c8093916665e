// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init/tell/crash.h"
#include "init/tell/leave.h"

#define TOLD 42

static struct plan_failure failure;
static const char *step;

/* What a child is to do, for leave(). */
static char order[16];

/* In the place of the real one, which would switch the machine off. */
_Noreturn void leave(const struct plan_failure *told, const char *at, const struct err *e)
{
	char words[64];
	bool right = told == &failure && !strcmp(at, "mounts") && e->code == FAIL_INIT_CRASHED;

	snprintf(words, sizeof(words), "by signal %d (", SIGSEGV);
	if (!strcmp(order, "crash again"))
		__builtin_trap();
	_exit(right && (strstr(e->text, words) || strcmp(order, "SIGSEGV")) ? TOLD : 1);
}

/* What becomes of a process that does this: its exit code, or minus the signal. */
static int outcome_of(void (*crash)(void), const char *how)
{
	int status = 0;
	pid_t child;

	strcpy(order, how);
	child = fork();
	if (!child) {
		crash_catch(&failure, &step);
		step = "mounts"; /* the one that runs when it happens */
		crash();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static int chosen;

static void raise_it(void)
{
	raise(chosen);
}

static void test_signals(void **state)
{
	static const int caught[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(caught); i++) {
		chosen = caught[i];
		assert_int_equal(outcome_of(raise_it, chosen == SIGSEGV ? "SIGSEGV" : ""), TOLD);
	}
	/* others are as they were */
	chosen = SIGTERM;
	assert_int_equal(outcome_of(raise_it, ""), -SIGTERM);
}

/* As when the stack is used up: the handler has one of its own. */
static void without_stack(void)
{
#if defined(__x86_64__)
	__asm__ volatile("xorl %%esp, %%esp\n\tpushq %%rax" ::: "memory");
#else
	raise(SIGSEGV);
#endif
}

static void test_no_stack(void **state)
{
	(void)state;
	assert_int_equal(outcome_of(without_stack, ""), TOLD);
}

/* Telling it crashes as well: that is the end, and not a ring. */
static void test_twice(void **state)
{
	(void)state;
	chosen = SIGABRT;
	assert_true(outcome_of(raise_it, "crash again") < 0);
}

static void raise_in_child(void)
{
	int status = 0;
	pid_t child = fork();

	if (!child)
		raise(SIGSEGV);
	(void)waitpid(child, &status, 0);
	_exit(WIFEXITED(status) && WEXITSTATUS(status) == 1 ? 7 : 8);
}

/* Another process that inherits the handler tells nothing. */
static void test_child(void **state)
{
	(void)state;
	assert_int_equal(outcome_of(raise_in_child, ""), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_signals),
		cmocka_unit_test(test_no_stack),
		cmocka_unit_test(test_twice),
		cmocka_unit_test(test_child),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
