/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * /init of a kernel whose initramfs did not arrive: it refuses.
 *
 * Where there is no /init the kernel mounts root= by itself, unproved, and starts what
 * it finds there.  The host can bring that about: with little enough memory an archive
 * is not unpacked, though kernel, archive and command line are what was measured.  So
 * this program is linked into every kernel of ours.  An archive that unpacks replaces
 * it; one that stops before its own /init leaves it.
 *
 * It is linked with the kernel tree's nolibc, and needs no file system but the two
 * nodes of refuse.list: memory may be short.
 */
#include "nolibc.h"

#define LINE                                                                                       \
	"socle: FAILED step=api volume=- code=INITRAMFS_INCOMPLETE: no initramfs was unpacked "    \
	"as far as its /init: the memory is too small for it, or it is damaged, or there is "      \
	"none\n"

#define KMSG_EMERG "<0>"
/* Of syslog(2). */
#define SYSLOG_ACTION_CONSOLE_LEVEL 8
#define CONSOLE_LEVEL               7

#define DRAIN_MS      2000
#define DRAIN_STEP_MS 20

static int write_to(const char *path, const char *text)
{
	size_t size = strlen(text);
	int fd = open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK);
	int ok = fd >= 0 && write(fd, text, size) == (ssize_t)size;

	if (fd >= 0)
		close(fd);
	return ok;
}

/* Through the kernel's log it reaches every console, even with loglevel=0. */
static void tell(void)
{
	(void)my_syscall3(__NR_syslog, SYSLOG_ACTION_CONSOLE_LEVEL, 0, CONSOLE_LEVEL);
	if (!write_to("/dev/kmsg", KMSG_EMERG LINE))
		(void)write_to("/dev/console", LINE);
}

/* What is still on its way to the console would be lost with the power. */
static void drain_console(void)
{
	int fd = open("/dev/console", O_WRONLY | O_NOCTTY | O_NONBLOCK);
	int pending = 0;

	for (int ms = 0; fd >= 0 && ms < DRAIN_MS; ms += DRAIN_STEP_MS) {
		if (ioctl(fd, TIOCOUTQ, &pending) < 0 || pending == 0)
			break;
		(void)msleep(DRAIN_STEP_MS);
	}
}

int main(void)
{
	tell();
	drain_console();
	(void)reboot(LINUX_REBOOT_CMD_POWER_OFF);
	/*
	 * Not reached: where nothing can switch the machine off, the kernel makes of it
	 * a halt, and reboot() does not return.  A call that was refused does.
	 */
	(void)reboot(LINUX_REBOOT_CMD_RESTART);
	/* PID 1 that exits is the kernel's panic. */
	return 1;
}
