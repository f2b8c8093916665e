// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "init/root/volatile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/sys.h"
#include "mount/fs/make.h"
#include "mount/fs/tmpfs.h"

#define PATH_SIZE 128

int volatile_tmpfs(const char *target, struct err *e)
{
	return tmpfs_mount("tmpfs", target, "25%", FAIL_MOUNT_FAILED, e);
}

int volatile_bind_usr(const char *lower, const char *target, struct err *e)
{
	char from[PATH_SIZE], to[PATH_SIZE];

	snprintf(from, sizeof(from), "%s/usr", lower);
	snprintf(to, sizeof(to), "%s/usr", target);
	/* A bind mount takes its own flags in a second call only. */
	if (sys_mount(from, to, NULL, MS_BIND, NULL) ||
	    sys_mount("none", to, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL))
		return err_errno(e, FAIL_MOUNT_FAILED, "bind the root's /usr");
	return 0;
}

/* Where the distribution has merged them into /usr. */
static const char *const links[] = { "bin", "lib", "lib32", "lib64", "libx32", "sbin" };

static const struct {
	const char *name;
	unsigned int mode;
} dirs[] = {
	{ "etc", 0755 },
	{ "root", 0700 },
	{ "var", 0755 },
};

int volatile_fill(const char *target, struct err *e)
{
	char path[PATH_SIZE], in_usr[PATH_SIZE];
	int r = 0;

	for (size_t i = 0; !r && i < ARRAY_SIZE(links); i++) {
		snprintf(in_usr, sizeof(in_usr), "%s/usr/%s", target, links[i]);
		if (faccessat(AT_FDCWD, in_usr, F_OK, AT_SYMLINK_NOFOLLOW)) {
			/* A host that fails this read must not choose what the root lacks. */
			if (errno != ENOENT)
				return err_errno(e, FAIL_DEVICE_READ_FAILED, "look for /usr/%s",
						 links[i]);
			continue;
		}
		snprintf(path, sizeof(path), "%s/%s", target, links[i]);
		r = make_link(in_usr + strlen(target) + 1, path, e);
	}
	for (size_t i = 0; !r && i < ARRAY_SIZE(dirs); i++) {
		snprintf(path, sizeof(path), "%s/%s", target, dirs[i].name);
		r = make_dir(path, dirs[i].mode, e);
	}
	return r;
}
