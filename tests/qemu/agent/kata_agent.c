// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/qemu/agent/kata_agent.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/array.h"
#include "tests/qemu/agent/json.h"

static const struct wanted {
	const char *source, *target, *type;
	unsigned long flags;
	const char *options;
} wanted[] = {
	{ "proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL },
	{ "sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL },
	{ "dev", "/dev", "devtmpfs", MS_NOSUID, NULL },
	{ "tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, NULL },
	{ "devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, NULL },
	{ "tmpfs", "/run", "tmpfs", MS_NOSUID | MS_NODEV, NULL },
	{ "cgroup2", "/sys/fs/cgroup", "cgroup2", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RELATIME,
	  "nsdelegate" },
};

/* By the first line about that place, as kata-agent takes it. */
static void type_mounted_on(const char *target, char type[64])
{
	char line[4096], point[1024], found[64];
	FILE *file = fopen("/proc/mounts", "re");

	*type = '\0';
	while (file && !*type && fgets(line, sizeof(line), file))
		if (sscanf(line, "%*s %1023s %63s", point, found) == 2 && !strcmp(point, target))
			strcpy(type, found);
	if (file)
		fclose(file);
}

/* "there" where it stands already, else the mount's error number. */
static void put_mount(const struct wanted *w)
{
	char type[64];

	type_mounted_on(w->target, type);
	json_key(w->target);
	if (!strcmp(type, w->type)) {
		json_string("there", strlen("there"));
		return;
	}
	(void)mkdir(w->target, 0755);
	errno = 0;
	(void)mount(w->source, w->target, w->type, w->flags, w->options);
	fprintf(json_out, "%d", errno);
}

static void put_result(const char *key, long result)
{
	json_number(key, result < 0 ? (uint64_t)errno : 0);
}

void do_as_kata_agent(const char *path)
{
	(void)path;
	json_key("mounts");
	fputs("{\"\":0", json_out);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		put_mount(&wanted[i]);
	fputc('}', json_out);
	put_result("unlink_ptmx", unlink("/dev/ptmx"));
	put_result("link_ptmx", symlink("/dev/pts/ptmx", "/dev/ptmx"));
	put_result("setsid", setsid());
	/* kata-agent goes on where there is no terminal. */
	put_result("tiocsctty", ioctl(STDIN_FILENO, TIOCSCTTY, 1));
}
