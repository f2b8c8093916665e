// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/qemu/agent/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/io.h"
#include "tests/qemu/agent/json.h"

#define PROCESSES_MAX 256
#define INPUT_MAX     (1 << 20) /* what a pipe can be made to hold */

static struct process {
	pid_t pid; /* 0: this place is free */
	bool ended, killed;
	int status, out, err;
	uint64_t begin_us, end_us;
} processes[PROCESSES_MAX];

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

void process_reap(void)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (struct process *p = processes; p < processes + PROCESSES_MAX; p++)
			if (p->pid == pid && !p->ended) {
				p->ended = true;
				p->status = status;
				p->end_us = now_us();
			}
}

/* A pipe that has all of it in it already, and nothing behind that. */
static int full_pipe(const struct word *input)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	if (input->size > INPUT_MAX || fcntl(ends[1], F_SETPIPE_SZ, INPUT_MAX) < 0 ||
	    write(ends[1], input->text, input->size) != (ssize_t)input->size) {
		close(ends[0]);
		ends[0] = -1;
	}
	close(ends[1]);
	return ends[0];
}

static void become(int in, int out, int err, const struct word *words, size_t count)
{
	char **argv = calloc(count + 1, sizeof(*argv)), *environment[] = { NULL };

	for (size_t i = 0; i < count; i++)
		argv[i] = words[i].text;
	if (dup2(in, 0) == 0 && dup2(out, 1) == 1 && dup2(err, 2) == 2 && chdir("/") == 0)
		execve(argv[0], argv, environment);
	_exit(127);
}

/* Its place, or NULL with errno. */
static struct process *start(const struct word *input, const struct word *words, size_t count)
{
	struct process *p = processes;
	int in = full_pipe(input);

	while (p < processes + PROCESSES_MAX && p->pid)
		p++;
	if (in < 0 || count == 0 || p == processes + PROCESSES_MAX)
		return NULL;
	*p = (struct process){
		.out = memfd_create("out", MFD_CLOEXEC),
		.err = memfd_create("err", MFD_CLOEXEC),
		.begin_us = now_us(),
	};
	p->pid = fork();
	if (p->pid == 0)
		become(in, p->out, p->err, words, count);
	close(in);
	return p->pid > 0 ? p : NULL;
}

static void put_file(const char *key, int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *text = malloc((size_t)size + 1);

	json_key(key);
	json_string(text, (size_t)io_pread(fd, text, (size_t)size, 0));
	free(text);
	close(fd);
}

static void await_end(struct process *p, uint64_t limit_us)
{
	struct pollfd wait = { (int)syscall(SYS_pidfd_open, p->pid, 0), POLLIN, 0 };
	uint64_t end_us = p->begin_us + limit_us, now = now_us();
	uint64_t left_us = end_us > now ? end_us - now : 0;
	struct timespec left = { (time_t)(left_us / 1000000), (long)(left_us % 1000000) * 1000 };

	if (wait.fd >= 0 && ppoll(&wait, 1, &left, NULL) == 0) {
		p->killed = true;
		kill(p->pid, SIGKILL);
		poll(&wait, 1, -1);
	}
	if (wait.fd >= 0)
		close(wait.fd);
	process_reap();
}

static void finish(struct process *p, uint64_t limit_us)
{
	process_reap();
	if (!p->ended)
		await_end(p, limit_us);
	json_begin("ended");
	json_number("status", WIFEXITED(p->status) ? (uint64_t)WEXITSTATUS(p->status) : 0);
	json_number("signal", WIFSIGNALED(p->status) ? (uint64_t)WTERMSIG(p->status) : 0);
	/* It may have ended just then by itself. */
	json_number("killed", p->killed && WIFSIGNALED(p->status));
	json_number("us", p->end_us - p->begin_us);
	put_file("out", p->out);
	put_file("err", p->err);
	json_end();
	p->pid = 0;
}

static void tell_failure(void)
{
	json_begin("not-started");
	json_result(-1);
	json_end();
}

void process_start(const struct command *c)
{
	struct process *p = c->count < 3 ? NULL : start(&c->words[1], c->words + 2, c->count - 2);

	if (!p) {
		tell_failure();
		return;
	}
	json_begin("started");
	json_number("id", (uint64_t)(p - processes));
	json_end();
}

void process_wait(const struct command *c)
{
	unsigned long id = command_number(c, 1);

	if (id < PROCESSES_MAX && processes[id].pid)
		finish(&processes[id], command_number(c, 2));
}

void process_signal(const struct command *c)
{
	unsigned long id = command_number(c, 1);
	bool there = id < PROCESSES_MAX && processes[id].pid;

	errno = ESRCH;
	json_begin("signal");
	json_result(there ? kill(processes[id].pid, (int)command_number(c, 2)) : -1);
	json_end();
}

void process_run(const struct command *c)
{
	struct process *p = c->count < 4 ? NULL : start(&c->words[2], c->words + 3, c->count - 3);

	if (p)
		finish(p, command_number(c, 1));
	else
		tell_failure();
}
