// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/serve/say.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define LINE_SIZE 3072 /* bytes; below PIPE_BUF, for which a pipe that can be written has room */
#define WAIT_MS   1000

void say(const char *fmt, ...)
{
	struct pollfd p = { .fd = STDERR_FILENO, .events = POLLOUT };
	char line[LINE_SIZE];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(line, sizeof(line) - 1, fmt, args);
	va_end(args);
	if (n < 0 || poll(&p, 1, WAIT_MS) <= 0 || !(p.revents & POLLOUT))
		return;
	if ((size_t)n > sizeof(line) - 2)
		n = sizeof(line) - 2;
	line[n] = '\n';
	(void)!write(STDERR_FILENO, line, (size_t)n + 1);
}
