// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/serve/pulls.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/io.h"
#include "lib/sys.h"
#include "mount/serve/say.h"

/* A process that was killed and waits for nothing is gone in no time. */
#define GONE_WAIT_MS 2000
#define GONE_STEP_NS 2000000L

void pulls_init(struct pulls *pulls)
{
	memset(pulls, 0, sizeof(*pulls));
	for (size_t i = 0; i < SERVE_PULLS_MAX; i++)
		pulls->pull[i].fd = -1;
}

/*
 * The process of one pull. It has nothing of the server's open, or a client would not see
 * the server go.
 */
static void __attribute__((noreturn))
run(int fd, pid_t server, const struct serve_options *options, const struct catalogue *catalogue,
    const struct pull_request *request)
{
	struct pull_answer answer;
	sigset_t none;

	/* Who kills the server means this one as well. */
	if (sys_die_with_parent() || getppid() != server)
		_exit(1);
	if (fd > 3)
		(void)sys_close_range(3, (unsigned int)fd - 1);
	(void)sys_close_range((unsigned int)fd + 1, ~0u);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	pull_run(options, catalogue, request, &answer);
	if (write(fd, &answer, sizeof(answer)) != (ssize_t)sizeof(answer))
		_exit(1);
	close(fd);
	if (answer.status == STATUS_OK)
		say("socle: image %s (%s) is on %s/rootfs", request->image, answer.digest,
		    request->bundle);
	else
		say("%s", answer.line);
	_exit(0);
}

int pulls_start(struct pulls *pulls, const struct serve_options *options,
		const struct catalogue *catalogue, const struct pull_request *request,
		const struct pull_caller *caller)
{
	struct pull *pull = pulls->pull;
	auto_fd int to_read = -1, to_write = -1;
	pid_t self = getpid();
	int ends[2];

	while (pull < pulls->pull + SERVE_PULLS_MAX && (pull->pid || pull->fd >= 0))
		pull++;
	if (pull == pulls->pull + SERVE_PULLS_MAX)
		return -EBUSY;
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	to_read = ends[0];
	to_write = ends[1];
	pull->pid = sys_fork();
	if (pull->pid == 0)
		run(to_write, self, options, catalogue, request);
	if (pull->pid < 0) {
		pull->pid = 0;
		return -errno;
	}
	pull->fd = steal_fd(&to_read);
	pull->caller = *caller;
	pull->end_ms = clock_ms() + (options->timeout_ms ? options->timeout_ms : SERVE_DISKS_MS) +
		       (options->rest_ms ? options->rest_ms : SERVE_REST_MS);
	return 0;
}

bool pulls_have(const struct pulls *pulls, const struct pull_caller *caller)
{
	for (size_t i = 0; i < SERVE_PULLS_MAX; i++) {
		const struct pull *pull = &pulls->pull[i];

		if (pull->fd >= 0 && pull->caller.client == caller->client &&
		    pull->caller.stream == caller->stream)
			return true;
	}
	return false;
}

void pull_finish(struct pull *pull, struct pull_answer *ret)
{
	struct err e = { 0 };

	/* It is written in one piece, so all of it is there or nothing will be. */
	if (io_read(pull->fd, ret, sizeof(*ret)) != (ssize_t)sizeof(*ret)) {
		err_set(&e, FAIL_SYSTEM_CALL_FAILED, EIO,
			"the process that mounts the image ended without an answer");
		pull_refuse(ret, STATUS_INTERNAL, "mounts", &e);
	}
	close(pull->fd);
	pull->fd = -1;
}

void pull_give_up(struct pull *pull, struct pull_answer *ret)
{
	struct err e = { 0 };

	(void)kill(pull->pid, SIGKILL);
	err_set(&e, FAIL_SYSTEM_CALL_FAILED, ETIMEDOUT,
		"the image is not mounted in time: a disk leaves reads without an answer");
	pull_refuse(ret, STATUS_DEADLINE_EXCEEDED, "mounts", &e);
	cleanup_fd(&pull->fd);
	pull->fd = -1;
}

static bool has_ended(const struct pull *pull)
{
	pid_t r;

	do
		r = waitpid(pull->pid, NULL, WNOHANG);
	while (r < 0 && errno == EINTR);
	return r != 0;
}

size_t pulls_reap(struct pulls *pulls)
{
	size_t left = 0;

	for (size_t i = 0; i < SERVE_PULLS_MAX; i++) {
		struct pull *pull = &pulls->pull[i];

		if (pull->pid && has_ended(pull))
			pull->pid = 0;
		left += pull->pid || pull->fd >= 0;
	}
	return left;
}

void pulls_kill(struct pulls *pulls)
{
	static const struct timespec step = { .tv_nsec = GONE_STEP_NS };
	int64_t end = clock_ms() + GONE_WAIT_MS;

	for (size_t i = 0; i < SERVE_PULLS_MAX; i++) {
		struct pull *pull = &pulls->pull[i];

		if (pull->pid)
			(void)kill(pull->pid, SIGKILL);
		cleanup_fd(&pull->fd);
		pull->fd = -1;
	}
	while (pulls_reap(pulls) && clock_ms() < end)
		(void)nanosleep(&step, NULL);
}
