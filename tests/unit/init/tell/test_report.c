// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/vm_sockets.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init/tell/report.h"
#include "lib/clock.h"

static const char line[] = "socle: FAILED step=plan volume=- code=NO_ROOT: x\n";

/* Nothing here has an upper limit of its own: a busy machine is no failure. */
#define SHORT_MS 300
#define LONG_MS  60000

/* When a host ends that is still awaited: less than LONG_MS. */
#define HOST_S 20

/*
 * A host at the other end, in a process of its own. Its exit status, or the signal that
 * ended it: SIGTERM is ours, SIGALRM its own end.
 */
static int talk_to(void (*host)(int fd), const char *said, int limit_ms)
{
	size_t fds = open_fds();
	int ends[2], status = 0;
	pid_t child;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends),
			 0);
	child = fork();
	if (!child) {
		alarm(HOST_S);
		close(ends[0]);
		fcntl(ends[1], F_SETFL, 0);
		host(ends[1]);
		_exit(0);
	}
	close(ends[1]);
	report_talk(ends[0], said, clock_ms() + limit_ms);
	close(ends[0]);
	(void)kill(child, SIGTERM);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(open_fds(), fds);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void read_all(int fd)
{
	char text[sizeof(line)] = "";
	size_t used = 0;
	ssize_t n;

	while ((n = read(fd, text + used, sizeof(text) - used)) > 0)
		used += (size_t)n;
	_exit(n || used != strlen(line) || memcmp(text, line, used) ? 1 : 42);
}

/* The host has it all, and has seen the end, before we come back. */
static void test_line_is_taken(void **state)
{
	(void)state;
	assert_int_equal(talk_to(read_all, line, LONG_MS), 42);
}

static void read_slowly(int fd)
{
	usleep(SHORT_MS * 1000 / 3);
	read_all(fd);
}

static void test_slow_host_is_waited_for(void **state)
{
	(void)state;
	assert_int_equal(talk_to(read_slowly, line, LONG_MS), 42);
}

static void read_nothing(int fd)
{
	(void)fd;
	(void)pause();
}

/* It neither reads nor closes: there is an end. */
static void test_deaf_host(void **state)
{
	static char much[1 << 20];
	int64_t begin = clock_ms();

	(void)state;
	assert_int_equal(talk_to(read_nothing, line, SHORT_MS), -SIGTERM);
	assert_true(clock_ms() - begin >= SHORT_MS);
	/* nor does one whose buffers are full keep us */
	memset(much, 'x', sizeof(much) - 1);
	assert_int_equal(talk_to(read_nothing, much, SHORT_MS), -SIGTERM);
}

static void hang_up(int fd)
{
	close(fd);
	(void)pause();
}

/* It went away: no signal, and no waiting. */
static void test_host_that_hangs_up(void **state)
{
	static char much[1 << 20];

	(void)state;
	memset(much, 'x', sizeof(much) - 1);
	assert_int_equal(talk_to(hang_up, much, LONG_MS), -SIGTERM);
}

/* A terminal gets the line; what is no character device gets nothing. */
static void test_device(void **state)
{
	struct plan_failure failure = { 0 };
	char text[sizeof(line) + 8] = "";
	int master = posix_openpt(O_RDWR | O_NOCTTY), file;

	(void)state;
	assert_true(master >= 0 && !unlockpt(master));
	strcpy(failure.device, ptsname(master));
	file = open(failure.device, O_RDWR | O_NOCTTY);
	report_line(&failure, line);
	assert_true(read(master, text, sizeof(text) - 1) > 0);
	assert_int_equal(strncmp(text, line, strlen(line) - 1), 0);
	close(file);
	close(master);
	strcpy(failure.device, "/tmp/socle-test-report-XXXXXX");
	file = mkstemp(failure.device);
	assert_true(file >= 0);
	report_line(&failure, line);
	assert_int_equal(lseek(file, 0, SEEK_END), 0);
	assert_false(report_needs_driver(&failure));
	unlink(failure.device);
	close(file);
	assert_true(report_needs_driver(&failure));
	/* and one that is not there is harmless, as is no report at all */
	report_line(&failure, line);
	failure.device[0] = '\0';
	report_line(&failure, line);
	assert_false(report_needs_driver(&failure));
}

/* A device that has sent one byte more each time that it is asked how many wait. */
static int waiting, asked;

/* As libc declares it; all other requests are the kernel's. */
#ifdef __GLIBC__
int ioctl(int fd, unsigned long request, ...)
#else
int ioctl(int fd, int request, ...)
#endif
{
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if ((unsigned int)request != TIOCOUTQ)
		return (int)syscall(SYS_ioctl, fd, request, arg);
	asked++;
	*(int *)arg = waiting ? waiting-- : 0;
	return 0;
}

/* What was written is waited for until it is out; what could not be written, is not. */
static void test_device_is_drained(void **state)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), file;
	struct plan_failure failure = { 0 };
	static const struct plan_failure none;
	size_t fds;

	(void)state;
	assert_true(master >= 0 && !unlockpt(master));
	strcpy(failure.device, ptsname(master));
	file = open(failure.device, O_RDWR | O_NOCTTY);
	fds = open_fds();
	waiting = 2;
	asked = 0;
	report_line(&failure, line);
	assert_int_equal(asked, 3);
	assert_int_equal(open_fds(), fds);
	/* it is open already, and its other end is gone */
	report_keep_open(&failure);
	close(master);
	waiting = 2;
	report_line(&failure, line);
	assert_int_equal(asked, 3);
	assert_int_equal(open_fds(), fds - 1);
	close(file);
	waiting = 0;
	report_keep_open(&none);
}

/* The host at the other end of a vsock; -1: there is no such transport. */
static int vsock = -1, sockets, connects;

int socket(int domain, int type, int protocol)
{
	assert_int_equal(domain, AF_VSOCK);
	assert_int_equal(type, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC);
	assert_int_equal(protocol, 0);
	sockets++;
	errno = EAFNOSUPPORT;
	return vsock;
}

int connect(int fd, const struct sockaddr *address, socklen_t size)
{
	const struct sockaddr_vm *host = (const void *)address;

	assert_int_equal(fd, vsock);
	assert_int_equal(size, sizeof(*host));
	assert_int_equal(host->svm_family, AF_VSOCK);
	assert_int_equal(host->svm_cid, VMADDR_CID_HOST);
	assert_int_equal(host->svm_port, 1234);
	connects++;
	errno = waiting ? ECONNREFUSED : EINPROGRESS;
	return -1;
}

/* Over vsock where a port is given, and to nobody else. */
static void test_vsock(void **state)
{
	struct plan_failure failure = { 0 };
	char text[sizeof(line) + 8] = "";
	size_t fds = open_fds();
	int ends[2];

	(void)state;
	report_line(&failure, line);
	assert_int_equal(sockets, 0);
	failure.vsock_port = 1234;
	report_line(&failure, line);
	assert_int_equal(sockets, 1);
	assert_int_equal(connects, 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
	vsock = ends[0];
	assert_int_equal(shutdown(ends[1], SHUT_WR), 0);
	report_line(&failure, line);
	assert_int_equal(connects, 1);
	assert_int_equal(read(ends[1], text, sizeof(text)), strlen(line));
	assert_string_equal(text, line);
	close(ends[1]);
	/* one that refuses is not talked to */
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
	vsock = ends[0];
	waiting = 1;
	report_line(&failure, line);
	assert_int_equal(connects, 2);
	assert_int_equal(read(ends[1], text, sizeof(text)), 0);
	close(ends[1]);
	waiting = 0;
	vsock = -1;
	assert_true(report_needs_driver(&failure));
	assert_int_equal(open_fds(), fds);
}

/* The driver: its device is there when it is looked for the third time. */
static const char *made_late;
static int looks;

int access(const char *path, int mode)
{
	if (made_late && !strcmp(path, made_late) && ++looks == 3)
		put_text(AT_FDCWD, path, "");
	return faccessat(AT_FDCWD, path, mode, 0);
}

/* A driver makes its device while we wait; one that makes none does not keep us. */
static void test_device_is_awaited(void **state)
{
	struct plan_failure failure = { 0 };
	struct temp t;
	int64_t begin;

	(void)state;
	temp_make(&t);
	(void)snprintf(failure.device, sizeof(failure.device), "%s/device", t.path);
	begin = clock_ms();
	report_await(&failure);
	assert_true(clock_ms() - begin >= REPORT_WAIT_MS);
	made_late = failure.device;
	report_await(&failure);
	assert_int_equal(looks, 3);
	made_late = NULL;
	temp_remove(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_line_is_taken),
		cmocka_unit_test(test_slow_host_is_waited_for),
		cmocka_unit_test(test_deaf_host),
		cmocka_unit_test(test_host_that_hangs_up),
		cmocka_unit_test(test_device),
		cmocka_unit_test(test_device_is_drained),
		cmocka_unit_test(test_vsock),
		cmocka_unit_test(test_device_is_awaited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
