// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * The agent of a guest that is measured: tells when it was started and what the
 * kernel's log has, on the second serial port, and powers off. As /init of an
 * initramfs it does the least that any init must where the kernel has opened the
 * root by itself (dm-mod.create=), and becomes the agent in there.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define READ_ALL 3 /* SYSLOG_ACTION_READ_ALL */

static int enter_root(void)
{
	char *argv[] = { "/sbin/init", NULL };

	mkdir("/dev", 0755);
	mkdir("/root", 0755);
	if (mount("dev", "/dev", "devtmpfs", 0, NULL) ||
	    mount("/dev/dm-0", "/root", "erofs", MS_RDONLY, NULL) || chroot("/root") || chdir("/"))
		return 1;
	execv(argv[0], argv);
	return 1;
}

int main(int argc, char **argv)
{
	static char log[1 << 18];
	struct timespec now;
	int fd, n;

	clock_gettime(CLOCK_BOOTTIME, &now);
	if (argc && !strcmp(argv[0], "/init"))
		return enter_root();
	if (access("/dev/ttyS1", F_OK))
		mount("dev", "/dev", "devtmpfs", 0, NULL);
	fd = open("/dev/ttyS1", O_WRONLY | O_NOCTTY);
	n = klogctl(READ_ALL, log, sizeof(log));
	dprintf(fd, "started %lld.%06ld\n", (long long)now.tv_sec, now.tv_nsec / 1000);
	for (int at = 0; at < n;) {
		ssize_t written = write(fd, log + at, (size_t)(n - at));

		if (written <= 0)
			break;
		at += (int)written;
	}
	dprintf(fd, "end\n");
	fsync(fd);
	reboot(RB_POWER_OFF);
	return 1;
}
