// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "init/tell/leave.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/reboot.h>
#include <unistd.h>

#include "init/tell/log.h"
#include "init/tell/report.h"
#include "lib/cleanup.h"
#include "lib/io.h"
#include "lib/sys.h"

/* All but debugging. */
#define CONSOLE_LEVEL 7

/* More than the processors have in stock for themselves. */
#define TOUCHED_BYTES (64 << 20)

/* What leave_keep_open() opened; else it is opened when it is needed. */
static int kept_console = -1;

static int open_console(void)
{
	return open("/dev/console", O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
}

void leave_keep_open(const struct plan_failure *failure)
{
	kept_console = open_console();
	report_keep_open(failure);
}

/*
 * A restart that asks no device. SysRq is the plain way, and many a kernel has none. Then a
 * panic, which PID 1 may be too stuck to cause by its end: the kernel shall keep more memory
 * free than there is, and panic rather than kill for it (Linux
 * Documentation/admin-guide/sysctl/vm.rst, min_free_kbytes and panic_on_oom).
 */
static void restart_at_once(void)
{
	(void)io_write_text(AT_FDCWD, "/proc/sysrq-trigger", "b");
	(void)io_write_text(AT_FDCWD, "/proc/sys/kernel/panic", "-1");
	(void)io_write_text(AT_FDCWD, "/proc/sys/vm/panic_on_oom", "2");
	(void)io_write_text(AT_FDCWD, "/proc/sys/vm/min_free_kbytes", "2147483647");
	(void)mmap(NULL, TOUCHED_BYTES, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
}

/* A console or a disk that never answers would keep the line, or the kernel on its way out. */
static void limit_time(void)
{
	if (sys_fork())
		return;
	for (unsigned int left = LEAVE_LIMIT_S; left;)
		left = sleep(left);
	restart_at_once();
	_exit(0);
}

static void drain_console(void)
{
	auto_fd int fd = kept_console < 0 ? open_console() : kept_console;

	if (fd >= 0)
		report_drain(fd);
}

static void tell(const struct plan_failure *failure, const char *step, const struct err *e)
{
	char line[LOG_LINE_SIZE];
	int n = snprintf(line, sizeof(line) - 1, ERR_LINE, step, e->volume[0] ? e->volume : "-",
			 fail_name(e->code), e->text);

	log_open();
	/* Even loglevel=0 must not keep this line from the consoles. */
	(void)sys_console_level(CONSOLE_LEVEL);
	log_line("<0>", line);
	if (n > 0 && (size_t)n < sizeof(line) - 1)
		strcpy(line + n, "\n");
	else
		strcpy(line + sizeof(line) - 2, "\n");
	report_line(failure, line);
	drain_console();
}

_Noreturn static void go_off(enum plan_on_failure how)
{
	static const unsigned int commands[] = {
		[PLAN_ON_FAILURE_POWEROFF] = RB_POWER_OFF,
		[PLAN_ON_FAILURE_REBOOT] = RB_AUTOBOOT,
		[PLAN_ON_FAILURE_HALT] = RB_HALT_SYSTEM,
	};

	if (how != PLAN_ON_FAILURE_PANIC) {
		(void)sys_reboot(commands[how]);
		/* A machine that cannot be switched off. */
		(void)sys_reboot(RB_AUTOBOOT);
	}
	/* PID 1 that exits is the kernel's panic. */
	_exit(1);
}

_Noreturn void leave(const struct plan_failure *failure, const char *step, const struct err *e)
{
	limit_time();
	tell(failure, step, e);
	go_off(failure->how);
}
