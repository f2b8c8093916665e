// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "init/root/switch_root.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/sys.h"

/* What goes along. A place that the new root lacks is made if it can be. */
static const char *const moved[] = { "/dev", "/proc", "/sys", "/run" };

static int move_api(const char *new_root, struct err *e)
{
	char target[256];

	for (size_t i = 0; i < ARRAY_SIZE(moved); i++) {
		snprintf(target, sizeof(target), "%s%s", new_root, moved[i]);
		if (sys_mkdir(target, 0755) && errno != EEXIST)
			return err_errno(e, FAIL_MOUNT_FAILED,
					 "the root has no directory %s to mount on, and it cannot "
					 "be created",
					 moved[i]);
		if (sys_mount(moved[i], target, NULL, MS_MOVE, NULL))
			return err_errno(e, FAIL_MOUNT_FAILED, "move %s into the new root",
					 moved[i]);
	}
	return 0;
}

/*
 * Remove everything below a directory that is on its file system. Best effort:
 * what stays behind costs memory and is reachable by nobody.
 */
static void empty_dir(int dir_fd, dev_t device)
{
	DIR *dir = fdopendir(dir_fd);
	struct dirent *entry;
	struct stat st;

	if (!dir) {
		close(dir_fd);
		return;
	}
	while ((entry = readdir(dir))) {
		const char *name = entry->d_name;
		int child;

		if (!strcmp(name, ".") || !strcmp(name, "..") ||
		    fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) || st.st_dev != device)
			continue;
		if (!S_ISDIR(st.st_mode)) {
			(void)sys_unlinkat(dir_fd, name, 0);
			continue;
		}
		child = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (child >= 0)
			empty_dir(child, device);
		(void)sys_unlinkat(dir_fd, name, AT_REMOVEDIR);
	}
	closedir(dir);
}

static void empty_initramfs(int root)
{
	struct statfs fs;
	struct stat st;

	if (fstatfs(root, &fs) || fstat(root, &st) ||
	    (fs.f_type != RAMFS_MAGIC && fs.f_type != TMPFS_MAGIC)) {
		close(root);
		return;
	}
	empty_dir(root, st.st_dev);
}

int switch_root(const char *new_root, struct err *e)
{
	auto_fd int old_root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r;

	if (old_root < 0)
		return err_errno(e, FAIL_SYSTEM_CALL_FAILED, "open the old root");
	r = move_api(new_root, e);
	if (r)
		return r;
	if (sys_chdir(new_root) || sys_mount(".", "/", NULL, MS_MOVE, NULL) || sys_chroot(".") ||
	    sys_chdir("/"))
		return err_errno(e, FAIL_MOUNT_FAILED, "move the new root to /");
	empty_initramfs(steal_fd(&old_root));
	return 0;
}
