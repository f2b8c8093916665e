// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "lib/together.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "lib/array.h"

/* They wait most of the time, so there may be more than processors. */
#define THREADS_MAX 128
#define STACK_SIZE  65536 /* bytes; a thread has little to do */

struct work {
	void (*run)(void *item);
	char *items;
	size_t size, count;
	atomic_size_t next;
};

static void *do_work(void *context)
{
	struct work *w = context;
	size_t i;

	while ((i = atomic_fetch_add(&w->next, 1)) < w->count)
		w->run(w->items + i * w->size);
	return NULL;
}

/* All but those that a thread gets for what it does itself. */
static void block_signals(sigset_t *ret_before)
{
	static const int own[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP };
	sigset_t all;

	sigfillset(&all);
	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		sigdelset(&all, own[i]);
	pthread_sigmask(SIG_BLOCK, &all, ret_before);
}

void together(void (*run)(void *item), void *items, size_t size, size_t count)
{
	struct work w = { .run = run, .items = items, .size = size, .count = count };
	pthread_t threads[THREADS_MAX];
	size_t started = 0;
	pthread_attr_t attr;
	sigset_t before;

	if (count > 1 && !pthread_attr_init(&attr)) {
		/* The default does as well. */
		(void)pthread_attr_setstacksize(&attr, STACK_SIZE);
		block_signals(&before);
		/* The caller is one of them. */
		while (started < THREADS_MAX && started < count - 1 &&
		       !pthread_create(&threads[started], &attr, do_work, &w))
			started++;
		pthread_sigmask(SIG_SETMASK, &before, NULL);
		pthread_attr_destroy(&attr);
	}
	(void)do_work(&w);
	while (started)
		pthread_join(threads[--started], NULL);
}
