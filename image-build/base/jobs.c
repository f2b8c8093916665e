// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/base/jobs.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "image-build/base/memory.h"
#include "image-build/base/output.h"
#include "image-build/base/refuse.h"

#define POLL_US 10000 /* between two looks at what is running */

struct outcome {
	pid_t pid;
	int started, ended, result;
	struct err e;
};

void *jobs_shared(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	/* Let the usual way out of memory deal with it. */
	return memory == MAP_FAILED ? memory_zero(SIZE_MAX, 1) : memory;
}

static size_t cpus(void)
{
	cpu_set_t set;
	int count;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	count = CPU_COUNT(&set);
	return count > 0 ? (size_t)count : 1;
}

static int first_failure(const struct outcome *outcomes, size_t count, struct err *e)
{
	for (size_t i = 0; i < count; i++)
		if (outcomes[i].result) {
			if (e)
				*e = outcomes[i].e;
			return outcomes[i].result;
		}
	return 0;
}

struct crew {
	size_t count;
	int (*run)(void *context, size_t index, struct err *e);
	void *context;
	struct outcome *outcomes;
	atomic_size_t next;
	atomic_size_t idle; /* threads that have found nothing left to do */
	atomic_bool failed;
};

static void *work(void *argument)
{
	struct crew *c = argument;
	size_t i;

	while ((i = atomic_fetch_add(&c->next, 1)) < c->count && !atomic_load(&c->failed)) {
		struct outcome *o = &c->outcomes[i];

		o->result = c->run(c->context, i, &o->e);
		if (o->result)
			atomic_store(&c->failed, true);
	}
	atomic_fetch_add(&c->idle, 1);
	return NULL;
}

int jobs_in_threads(size_t count, int (*run)(void *context, size_t index, struct err *e),
		    void *context, struct progress *p, struct err *e)
{
	size_t wanted = cpus() < count ? cpus() : count, started = 0;
	pthread_t *threads = memory_zero(wanted, sizeof(*threads));
	struct crew c = { .count = count, .run = run, .context = context };
	int r = 0;

	c.outcomes = memory_zero(count, sizeof(*c.outcomes));
	while (!r && started < wanted) {
		r = pthread_create(&threads[started], NULL, work, &c);
		started += !r;
	}
	/* With one thread at least the work gets done. */
	if (!started && wanted)
		r = system_result(e, -r, "start a thread");
	else
		r = 0;
	while (atomic_load(&c.idle) < started) {
		if (p)
			progress_show(p);
		usleep(POLL_US);
	}
	for (size_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	if (p)
		progress_end(p);
	if (!r)
		r = first_failure(c.outcomes, count, e);
	free(c.outcomes);
	free(threads);
	return r;
}

static int start_child(struct outcome *o, int (*run)(void *context, size_t index, struct err *e),
		       void *context, size_t index)
{
	sigset_t all, before;
	pid_t pid;

	/* No signal between the child's birth and its place in the list. */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	/* o is shared: only the parent may write the child's number into it. */
	pid = fork();
	if (pid == 0) {
		output_in_child();
		sigprocmask(SIG_SETMASK, &before, NULL);
		o->result = run(context, index, &o->e);
		_exit(0);
	}
	if (pid > 0) {
		o->pid = pid;
		o->started = 1;
		output_child_started(pid);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return pid < 0 ? -errno : 0;
}

/* Take note of children that have ended; the number of them. */
static size_t reap(struct outcome *outcomes, size_t count)
{
	size_t ended = 0;

	for (size_t i = 0; i < count; i++) {
		struct outcome *o = &outcomes[i];
		int status;

		if (!o->started || o->ended || waitpid(o->pid, &status, WNOHANG) != o->pid)
			continue;
		output_child_ended(o->pid);
		o->ended = 1;
		ended++;
		if (!WIFEXITED(status) || WEXITSTATUS(status))
			o->result = err_set(&o->e, FAIL_SYSTEM_CALL_FAILED, ECHILD,
					    "the process that made it ended early (%s %d)",
					    WIFSIGNALED(status) ? "signal" : "status",
					    WIFSIGNALED(status) ? WTERMSIG(status) :
								  WEXITSTATUS(status));
	}
	return ended;
}

static void kill_rest(struct outcome *outcomes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct outcome *o = &outcomes[i];

		if (!o->started || o->ended)
			continue;
		kill(o->pid, SIGKILL);
		waitpid(o->pid, NULL, 0);
		output_child_ended(o->pid);
	}
}

int jobs_in_children(size_t count, int (*run)(void *context, size_t index, struct err *e),
		     void *context, struct progress *p, struct err *e)
{
	struct outcome *outcomes = jobs_shared(count * sizeof(*outcomes) + 1);
	size_t started = 0, ended = 0;
	int r = 0;

	while (!r && ended < count) {
		while (!r && started < count && started - ended < cpus()) {
			r = start_child(&outcomes[started], run, context, started);
			started += !r;
		}
		if (r)
			r = system_result(e, r, "start a process");
		ended += reap(outcomes, started);
		if (!r)
			r = first_failure(outcomes, started, e);
		if (p)
			progress_show(p);
		if (!r && ended < count)
			usleep(POLL_US);
	}
	kill_rest(outcomes, started);
	if (p)
		progress_end(p);
	munmap(outcomes, count * sizeof(*outcomes) + 1);
	return r;
}
