// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "init/tell/log.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/err.h"
#include "lib/io.h"

static int kmsg = -1;

/* What the kernel says about lines from /dev/kmsg: "ratelimit" unless its line has other. */
static const char limit_file[] = "/proc/sys/kernel/printk_devkmsg";
static char limit[16];

void log_open(void)
{
	if (!limit[0])
		(void)io_read_text(AT_FDCWD, limit_file, limit, sizeof(limit));
	(void)io_write_text(AT_FDCWD, limit_file, "on\n");
	if (kmsg < 0)
		kmsg = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
}

void log_limit_again(void)
{
	if (limit[0])
		(void)io_write_text(AT_FDCWD, limit_file, limit);
}

void log_line(const char *priority, const char *line)
{
	char record[LOG_LINE_SIZE + 8];
	int n = snprintf(record, sizeof(record), "%s%s\n", kmsg < 0 ? "" : priority, line);

	if (n < 0)
		return;
	if ((size_t)n >= sizeof(record))
		n = sizeof(record) - 1;
	/* Before there is a /dev, the kernel's own console is all there may be. */
	if (write(kmsg < 0 ? STDERR_FILENO : kmsg, record, (size_t)n) < 0)
		return;
}

void log_info(const char *fmt, ...)
{
	char line[LOG_LINE_SIZE];
	va_list args;
	size_t used;

	used = (size_t)snprintf(line, sizeof(line), "socle: ");
	va_start(args, fmt);
	vsnprintf(line + used, sizeof(line) - used, fmt, args);
	va_end(args);
	err_make_printable(line);
	log_line("<6>", line);
}
