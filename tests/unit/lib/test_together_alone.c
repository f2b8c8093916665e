// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Where there are no threads to be had. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <pthread.h>

#include "lib/together.h"

static unsigned int asked;

/* It wins over libc's. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
		   void *context)
{
	(void)thread;
	(void)attr;
	(void)run;
	(void)context;
	asked++;
	return EAGAIN;
}

static void count_up(void *item)
{
	++*(unsigned int *)item;
}

/* All is done, one after the other. */
static void test_no_threads(void **state)
{
	unsigned int items[50] = { 0 };

	(void)state;
	together(count_up, items, sizeof(items[0]), ARRAY_SIZE(items));
	for (size_t i = 0; i < ARRAY_SIZE(items); i++)
		assert_int_equal(items[i], 1);
	assert_int_equal(asked, 1);
	/* one needs none */
	together(count_up, items, sizeof(items[0]), 1);
	assert_int_equal(items[0], 2);
	assert_int_equal(asked, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
