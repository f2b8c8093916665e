// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * The agent of a guest that is measured: tells when it was started and what the
 * kernel's log has, on the second serial port, and powers off. Where its root has a
 * list of volumes to mount, it tells how long socle-volume took for each. As /init of
 * an initramfs it does the least that any init must where the kernel has opened the
 * root by itself (dm-mod.create=), and becomes the agent in there.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define READ_ALL 3 /* SYSLOG_ACTION_READ_ALL */

static int enter_root(void)
{
	static char init[] = "/sbin/init";
	char *argv[] = { init, NULL };

	mkdir("/dev", 0755);
	mkdir("/root", 0755);
	if (mount("dev", "/dev", "devtmpfs", 0, NULL) ||
	    mount("/dev/dm-0", "/root", "erofs", MS_RDONLY, NULL) || chroot("/root") || chdir("/"))
		return 1;
	execv(argv[0], argv);
	return 1;
}

/* Its exit status, or -1. */
static int run(char *const argv[])
{
	int status;
	pid_t pid;

	if (posix_spawn(&pid, argv[0], NULL, NULL, argv, NULL) || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Microseconds from before the program was started until it has ended, or -1. */
static long long mount_and_umount(char *description)
{
	static char program[] = "/run/socle/socle-volume", target[] = "--target=/run/target",
		    from[] = "--from=socle", path[] = "/run/target", mount_it[] = "mount",
		    umount_it[] = "umount";
	char *const mount[] = { program, mount_it, target, from, description, NULL };
	char *const umount[] = { program, umount_it, path, NULL };
	struct timespec begin, end;

	clock_gettime(CLOCK_BOOTTIME, &begin);
	if (run(mount))
		return -1;
	clock_gettime(CLOCK_BOOTTIME, &end);
	if (run(umount))
		return -1;
	return (end.tv_sec - begin.tv_sec) * 1000000LL + (end.tv_nsec - begin.tv_nsec) / 1000;
}

static void mount_volumes(int to)
{
	FILE *list = fopen("/etc/volumes/list", "re");
	char name[32], path[64];

	while (list && fscanf(list, "%31s", name) == 1) {
		snprintf(path, sizeof(path), "/etc/volumes/%s", name);
		dprintf(to, "mounted %s %lld\n", name, mount_and_umount(path));
	}
	if (list)
		fclose(list);
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
	mount_volumes(fd);
	dprintf(fd, "end\n");
	fsync(fd);
	reboot(RB_POWER_OFF);
	return 1;
}
