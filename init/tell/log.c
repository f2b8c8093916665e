// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "init/tell/log.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/reboot.h>
#include <unistd.h>

#include "init/tell/report.h"
#include "init/tell/watchdog.h"
#include "lib/cleanup.h"
#include "lib/file.h"

/* The longest record that printk keeps is a little above this. */
#define LINE_SIZE 960

/* klogctl(2): syslog(2)'s action that sets what the consoles show, and all but debugging. */
#define SYSLOG_ACTION_CONSOLE_LEVEL 8
#define CONSOLE_LEVEL               7

static int kmsg = -1;

/* What the kernel says about lines from /dev/kmsg: "ratelimit" unless its command line has other.
 */
static const char limit_file[] = "/proc/sys/kernel/printk_devkmsg";
static char limit[16];

void log_open(void)
{
	if (!limit[0])
		(void)file_read_at(AT_FDCWD, limit_file, limit, sizeof(limit));
	(void)file_write_at(AT_FDCWD, limit_file, "on\n");
	if (kmsg < 0)
		kmsg = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
}

void log_limit_again(void)
{
	if (limit[0])
		(void)file_write_at(AT_FDCWD, limit_file, limit);
}

static void write_line(const char *priority, const char *line)
{
	char record[LINE_SIZE + 8];
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
	char line[LINE_SIZE];
	va_list args;
	size_t used;

	used = (size_t)snprintf(line, sizeof(line), "socle: ");
	va_start(args, fmt);
	vsnprintf(line + used, sizeof(line) - used, fmt, args);
	va_end(args);
	err_make_printable(line);
	write_line("<6>", line);
}

/* What log_keep_open() opened; else it is opened when it is needed. */
static int kept_console = -1;

static int open_console(void)
{
	return open("/dev/console", O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
}

void log_keep_open(const struct plan_failure *failure)
{
	kept_console = open_console();
	report_keep_open(failure);
}

static void drain_console(void)
{
	auto_fd int fd = kept_console < 0 ? open_console() : kept_console;

	if (fd >= 0)
		report_drain(fd);
}

_Noreturn static void leave(enum plan_on_failure how)
{
	static const unsigned int commands[] = {
		[PLAN_ON_FAILURE_POWEROFF] = RB_POWER_OFF,
		[PLAN_ON_FAILURE_REBOOT] = RB_AUTOBOOT,
		[PLAN_ON_FAILURE_HALT] = RB_HALT_SYSTEM,
	};

	if (how != PLAN_ON_FAILURE_PANIC) {
		(void)reboot((int)commands[how]);
		/* A machine that cannot be switched off. */
		(void)reboot((int)RB_AUTOBOOT);
	}
	/* PID 1 that exits is the kernel's panic. */
	_exit(1);
}

_Noreturn void log_failure(const struct plan_failure *failure, const char *step,
			   const struct err *e)
{
	char line[LINE_SIZE];
	int n;

	watchdog_stop();
	/* A console or a disk that never answers would keep the line, or the kernel on its way out.
	 */
	watchdog_leave();
	n = snprintf(line, sizeof(line) - 1, "socle: FAILED step=%s volume=%s code=%s: %s", step,
		     e->volume[0] ? e->volume : "-", fail_name(e->code), e->text);

	log_open();
	/* Even loglevel=0 must not keep this line from the consoles. */
	(void)klogctl(SYSLOG_ACTION_CONSOLE_LEVEL, NULL, CONSOLE_LEVEL);
	write_line("<0>", line);
	if (n > 0 && (size_t)n < sizeof(line) - 1)
		strcpy(line + n, "\n");
	else
		strcpy(line + sizeof(line) - 2, "\n");
	report_line(failure, line);
	drain_console();
	leave(failure->how);
}
