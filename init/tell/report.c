// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "init/tell/report.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/vm_sockets.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/clock.h"

/* A look at the clock at least this often. */
#define TICK_MS 10

static bool wait_for(int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };

	return poll(&p, 1, TICK_MS) > 0;
}

static bool is_temporary(int errnum)
{
	return errnum == EAGAIN || errnum == EINTR;
}

/* All of the line, or as much as goes until the end. */
static bool write_all(int fd, const char *line, int64_t end_ms)
{
	while (*line && clock_ms() < end_ms) {
		ssize_t n = write(fd, line, strlen(line));

		if (n > 0)
			line += n;
		else if (n < 0 && !is_temporary(errno))
			return false;
		else
			(void)wait_for(fd, POLLOUT);
	}
	return !*line;
}

void report_drain(int fd)
{
	int64_t end = clock_ms() + REPORT_DEVICE_MS;
	int waiting = 0;

	while (!ioctl(fd, TIOCOUTQ, &waiting) && waiting > 0 && clock_ms() < end)
		(void)poll(NULL, 0, TICK_MS);
}

static bool lacks_device(const struct plan_failure *failure)
{
	return failure->device[0] && access(failure->device, F_OK);
}

bool report_needs_driver(const struct plan_failure *failure)
{
	return failure->vsock_port || lacks_device(failure);
}

void report_await(const struct plan_failure *failure)
{
	int64_t end = clock_ms() + REPORT_WAIT_MS;

	while (lacks_device(failure) && clock_ms() < end)
		(void)poll(NULL, 0, TICK_MS);
}

/* What report_keep_open() opened; else the device is opened when it is needed. */
static int kept = -1;

static int open_device(const char *path)
{
	return *path ? open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC) : -1;
}

void report_keep_open(const struct plan_failure *failure)
{
	kept = open_device(failure->device);
}

static void tell_device(const char *path, const char *line)
{
	auto_fd int fd = kept < 0 ? open_device(path) : kept;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !S_ISCHR(st.st_mode))
		return;
	if (write_all(fd, line, clock_ms() + REPORT_DEVICE_MS))
		report_drain(fd);
}

/* Until the other side closes: before that, the line may still be in a queue of ours. */
static void await_close(int fd, int64_t end_ms)
{
	char unheard[64];

	while (clock_ms() < end_ms) {
		ssize_t n = read(fd, unheard, sizeof(unheard));

		if (!n || (n < 0 && !is_temporary(errno)))
			return;
		(void)wait_for(fd, POLLIN);
	}
}

void report_talk(int fd, const char *line, int64_t end_ms)
{
	/* Connected, or refused: the write tells. */
	while (!wait_for(fd, POLLOUT) && clock_ms() < end_ms)
		;
	/* Who closes early does not end us by a signal. */
	(void)signal(SIGPIPE, SIG_IGN);
	if (write_all(fd, line, end_ms) && !shutdown(fd, SHUT_WR))
		await_close(fd, end_ms);
}

/* Without a transport, without a device or without a listener this ends at once. */
static void tell_host(uint32_t port, const char *line)
{
	auto_fd int fd = socket(AF_VSOCK, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	struct sockaddr_vm host = {
		.svm_family = AF_VSOCK,
		.svm_cid = VMADDR_CID_HOST,
		.svm_port = port,
	};

	if (fd < 0 || (connect(fd, (struct sockaddr *)&host, sizeof(host)) && errno != EINPROGRESS))
		return;
	report_talk(fd, line, clock_ms() + REPORT_VSOCK_MS);
}

void report_line(const struct plan_failure *failure, const char *line)
{
	tell_device(failure->device, line);
	if (failure->vsock_port)
		tell_host(failure->vsock_port, line);
}
