// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Calls that wait at the same time. */
#include "tests/unit/unit.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "lib/together.h"

struct item {
	unsigned int number, runs;
	bool blocked; /* SIGTERM does not come here */
};

static atomic_uint waiting;
static atomic_uint together_at_most;
static bool company; /* there is more than one item */

/* A machine may be so busy that a thread starts late: wait for company, but not for ever. */
static void await_company(void)
{
	static const struct timespec some = { .tv_nsec = 1000000 };

	for (int ms = 0; ms < 10000 && company && atomic_load(&together_at_most) < 2; ms++)
		nanosleep(&some, NULL);
}

static void run(void *item)
{
	struct item *i = item;
	unsigned int now = atomic_fetch_add(&waiting, 1) + 1;
	sigset_t set;

	i->runs++;
	pthread_sigmask(SIG_SETMASK, NULL, &set);
	i->blocked = sigismember(&set, SIGTERM) == 1 && sigismember(&set, SIGSEGV) == 0;
	if (now > 1)
		atomic_store(&together_at_most, now);
	await_company();
	atomic_fetch_sub(&waiting, 1);
}

/* Each item once, whatever their number is, and nobody is left behind. */
static void test_counts(void **state)
{
	static const size_t counts[] = { 0, 1, 2, 3, 64, 300 };
	size_t fds = open_fds();

	(void)state;
	for (size_t n = 0; n < ARRAY_SIZE(counts); n++) {
		static struct item items[300];
		sigset_t set;
		size_t elsewhere = 0;

		for (size_t i = 0; i < ARRAY_SIZE(items); i++)
			items[i] = (struct item){ .number = (unsigned int)i };
		atomic_store(&together_at_most, 0);
		company = counts[n] > 1;
		together(run, items, sizeof(items[0]), counts[n]);
		assert_int_equal(atomic_load(&waiting), 0);
		for (size_t i = 0; i < ARRAY_SIZE(items); i++) {
			assert_int_equal(items[i].number, i);
			assert_int_equal(items[i].runs, i < counts[n] ? 1 : 0);
			elsewhere += items[i].blocked;
		}
		if (counts[n] > 1)
			assert_true(atomic_load(&together_at_most) > 1 && elsewhere > 0);
		/* the caller's own signals are as before */
		pthread_sigmask(SIG_SETMASK, NULL, &set);
		assert_int_equal(sigismember(&set, SIGTERM), 0);
		assert_int_equal(open_fds(), fds);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
