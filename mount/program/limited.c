// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/program/limited.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/io.h"
#include "lib/sys.h"

/* A process that was killed and waits for nothing is gone in no time. */
#define GONE_WAIT_MS 500
#define GONE_STEP_NS 2000000L
#define LOOK_MS      500 /* how often it is looked whether a call gets on */

static void fail(struct outcome *ret, const char *step, const char *text)
{
	*ret = (struct outcome){ .result = -EIO };
	strcpy(ret->error.code, "SYSTEM_CALL_FAILED");
	snprintf(ret->error.step, sizeof(ret->error.step), "%s", step);
	snprintf(ret->error.text, sizeof(ret->error.text), "%s", text);
}

static void __attribute__((noreturn)) run(void (*call)(const void *context, struct outcome *ret),
					  const void *context, int fd, pid_t parent)
{
	struct outcome outcome = { 0 };

	/* Who kills the program means this one as well. */
	if (sys_die_with_parent() || getppid() != parent)
		_exit(1);
	call(context, &outcome);
	/* A pipe takes so little at once. */
	_exit(write(fd, &outcome, sizeof(outcome)) != (ssize_t)sizeof(outcome));
}

uint64_t *limited_counter(void)
{
	void *memory = mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static uint64_t count_now(const uint64_t *counter)
{
	return counter ? __atomic_load_n(counter, __ATOMIC_RELAXED) : 0;
}

/* 1: there is something to read; 0: not within the limit. */
static int wait_for(int fd, int limit_ms, const uint64_t *counter)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int64_t end = clock_ms() + limit_ms, left;
	uint64_t seen = count_now(counter);

	while ((left = end - clock_ms()) > 0) {
		if (poll(&p, 1, (int)(left < LOOK_MS ? left : LOOK_MS)) > 0)
			return 1;
		if (count_now(counter) != seen) {
			seen = count_now(counter);
			end = clock_ms() + limit_ms;
		}
	}
	return 0;
}

/* One that the kernel does not let go of is left to whoever is our parent. */
static void end_process(pid_t pid)
{
	static const struct timespec step = { .tv_nsec = GONE_STEP_NS };
	int64_t end = clock_ms() + GONE_WAIT_MS;

	(void)kill(pid, SIGKILL);
	while (!waitpid(pid, NULL, WNOHANG) && clock_ms() < end)
		(void)nanosleep(&step, NULL);
}

void limited_call(void (*call)(const void *context, struct outcome *ret), const void *context,
		  int limit_ms, const uint64_t *counter, const char *step, struct outcome *ret)
{
	auto_fd int to_read = -1, to_write = -1;
	pid_t pid, self = getpid();
	char text[160];
	int ends[2];

	if (pipe2(ends, O_CLOEXEC)) {
		fail(ret, step, "a pipe cannot be made");
		return;
	}
	to_read = ends[0];
	to_write = ends[1];
	pid = sys_fork();
	if (!pid)
		run(call, context, to_write, self);
	if (pid < 0) {
		fail(ret, step, "a process cannot be made");
		return;
	}
	cleanup_fd(&to_write);
	to_write = -1;
	if (!wait_for(to_read, limit_ms, counter)) {
		snprintf(text, sizeof(text), "%s %d s: a disk leaves reads without an answer",
			 counter ? "nothing read for" : "not done within", limit_ms / 1000);
		fail(ret, step, text);
	} else if (io_read(to_read, ret, sizeof(*ret)) != (ssize_t)sizeof(*ret)) {
		fail(ret, step, "the process that did it ended without an answer");
	} else {
		/* It has nothing left to do but to end. */
		(void)waitpid(pid, NULL, 0);
		return;
	}
	end_process(pid);
}
