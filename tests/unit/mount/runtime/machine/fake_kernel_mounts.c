// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* The fake kernel's mounts: fs/namespace.c and fs/fsopen.c. */
#include "tests/unit/mount/runtime/machine/fake_kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/mount.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "lib/sys.h"
#include "mount/runtime/mounts.h"

/* <sys/mount.h> and <linux/mount.h> do not stand together in every libc. */
#define DETACH 2 /* MNT_DETACH */

/* --- paths --------------------------------------------------------------------------- */

struct fake_mount *fake_kernel_mount_on(const char *path)
{
	for (unsigned int i = fake_kernel->mounts; i--;)
		if (!strcmp(fake_kernel->mount[i].path, path))
			return &fake_kernel->mount[i];
	return NULL;
}

static bool is_below(const char *path, const char *dir)
{
	size_t length = strlen(dir);

	return !strncmp(path, dir, length) && path[length] == '/';
}

/* The mount that a path leads into; NULL: the root's own. */
static struct fake_mount *mount_of(const char *path)
{
	struct fake_mount *found = NULL;

	for (unsigned int i = 0; i < fake_kernel->mounts; i++) {
		struct fake_mount *m = &fake_kernel->mount[i];

		if ((is_below(path, m->path) || !strcmp(path, m->path)) &&
		    (!found || strlen(m->path) >= strlen(found->path)))
			found = m;
	}
	return found;
}

static struct fake_mount *parent_of(const char *path)
{
	char parent[FAKE_PATH];

	snprintf(parent, sizeof(parent), "%s", path);
	*strrchr(parent, '/') = '\0';
	return mount_of(parent);
}

static bool spreads(const struct fake_mount *m)
{
	return !m || m->spreads;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* --- file systems -------------------------------------------------------------------- */

static int new_filesystem(const char *type)
{
	for (unsigned int i = 0; i < FAKE_FILESYSTEMS; i++) {
		struct fake_filesystem *fs = &fake_kernel->filesystem[i];

		if (fs->there)
			continue;
		memset(fs, 0, sizeof(*fs));
		fs->there = true;
		snprintf(fs->type, sizeof(fs->type), "%s", type);
		return (int)i;
	}
	return fake_kernel_refuse(ENOMEM);
}

bool fake_kernel_is_used(unsigned int filesystem)
{
	struct fake_kernel *k = fake_kernel;

	for (unsigned int i = 0; i < k->mounts; i++)
		if (k->mount[i].filesystem == filesystem)
			return true;
	for (unsigned int i = 0; i < FAKE_FILESYSTEMS; i++)
		for (unsigned int j = 0; k->filesystem[i].there && j < k->filesystem[i].parts; j++)
			if (k->filesystem[i].part[j] == filesystem)
				return true;
	return fake_kernel_fd_open("fs", filesystem) || fake_kernel_fd_open("mount", filesystem);
}

int sys_fsopen(const char *type)
{
	in_kernel;
	int number;

	if (fake_kernel_call("fsopen %s", type))
		return -1;
	if (!strcmp(type, "unknown"))
		return fake_kernel_refuse(ENODEV);
	number = new_filesystem(type);
	return number < 0 ? -1 : fake_kernel_fd("fs", (unsigned int)number);
}

static int add_device(struct fake_filesystem *fs, const char *path)
{
	unsigned int minor;

	if (sscanf(path, "/dev/dm-%u", &minor) != 1 || minor >= FAKE_DEVICES ||
	    !fake_kernel->device[minor].live.there)
		return fake_kernel_refuse(ENOENT);
	fs->device[fs->devices++] = minor;
	return 0;
}

static int add_part(struct fake_filesystem *fs, const char *path)
{
	const struct fake_mount *m = mount_of(path);

	if (!is_directory(path))
		return fake_kernel_refuse(ENOENT);
	if (m)
		fs->part[fs->parts++] = m->filesystem;
	return 0;
}

static int set_string(struct fake_filesystem *fs, const char *key, const char *value)
{
	if (!strcmp(key, "source"))
		snprintf(fs->source, sizeof(fs->source), "%s", value);
	if (!strcmp(key, "upperdir"))
		snprintf(fs->upperdir, sizeof(fs->upperdir), "%s", value);
	if (!strcmp(key, "lowerdir+") || !strcmp(key, "upperdir") || !strcmp(key, "workdir"))
		return add_part(fs, value);
	return strcmp(key, "device") ? 0 : add_device(fs, value);
}

/* A file system on a device reads it when it is made. */
static int create(struct fake_filesystem *fs)
{
	bool failed = false;

	if (!strcmp(fs->type, "tmpfs") || !strcmp(fs->type, "overlay"))
		return 0;
	if (add_device(fs, fs->source))
		return -1;
	for (unsigned int i = 0; i < fs->devices; i++)
		failed = fake_kernel_meet(&fake_kernel->device[fs->device[i]], MET_BY_MOUNT) ||
			 failed;
	return failed ? fake_kernel_refuse(EIO) : 0;
}

int sys_fsconfig(int fd, unsigned int command, const char *key, const char *value)
{
	in_kernel;
	int number = fake_kernel_fd_number(fd, "fs");
	struct fake_filesystem *fs;

	if (fake_kernel_call("fsconfig %s %s", key ? key : "create", value ? value : "-"))
		return -1;
	if (number < 0)
		return fake_kernel_refuse(EBADF);
	fs = &fake_kernel->filesystem[number];
	if (command == FSCONFIG_CMD_CREATE)
		return create(fs);
	if (command == FSCONFIG_SET_STRING)
		return set_string(fs, key, value);
	fs->read_only = fs->read_only || !strcmp(key, "ro");
	return 0;
}

int sys_fsmount(int fd, unsigned int attributes)
{
	in_kernel;
	int number = fake_kernel_fd_number(fd, "fs");

	if (fake_kernel_call("fsmount %#x", attributes))
		return -1;
	if (number < 0)
		return fake_kernel_refuse(EBADF);
	if (attributes & MOUNT_ATTR_RDONLY)
		fake_kernel->filesystem[number].read_only = true;
	return fake_kernel_fd("mount", (unsigned int)number);
}

/* --- mounts -------------------------------------------------------------------------- */

static int attach(unsigned int filesystem, const char *to)
{
	struct fake_mount *m = &fake_kernel->mount[fake_kernel->mounts];

	if (!is_directory(to))
		return fake_kernel_refuse(ENOENT);
	if (fake_kernel->mounts == FAKE_MOUNTS)
		return fake_kernel_refuse(ENOSPC);
	*m = (struct fake_mount){
		.filesystem = filesystem,
		.read_only = fake_kernel->filesystem[filesystem].read_only,
		.spreads = spreads(mount_of(to)),
	};
	snprintf(m->path, sizeof(m->path), "%s", to);
	fake_kernel->mounts++;
	return 0;
}

/* What is mounted at from, with all below it. */
static int move(const char *from, const char *to)
{
	struct fake_mount *m = fake_kernel_mount_on(from);

	if (!m || spreads(parent_of(from)))
		return fake_kernel_refuse(EINVAL);
	if (!is_directory(to))
		return fake_kernel_refuse(ENOENT);
	snprintf(m->path, sizeof(m->path), "%s", to);
	return 0;
}

/* A path from a directory that is open, as the mounts here have it. */
static const char *settle(const char *path, char buf[FAKE_PATH])
{
	char link[32];
	int fd, used = 0;
	ssize_t n;

	if (sscanf(path, "/proc/self/fd/%d/%n", &fd, &used) != 1 || !used)
		return path;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, buf, FAKE_PATH - 1);
	if (n < 0)
		return path;
	snprintf(buf + n, FAKE_PATH - (size_t)n, "/%s", path + used);
	return buf;
}

int sys_move_mount(int from, const char *place)
{
	in_kernel;
	char buf[FAKE_PATH];
	const char *to = settle(place, buf);
	int number = fake_kernel_fd_number(from, "mount");
	char link[64], path[FAKE_PATH];
	ssize_t n;

	if (fake_kernel_call("move_mount %s", to))
		return -1;
	if (number >= 0)
		return attach((unsigned int)number, to);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", from);
	n = readlink(link, path, sizeof(path) - 1);
	path[n < 0 ? 0 : n] = '\0';
	return move(path, to);
}

/* Of all calls of mount(2) there is one at run time: that a mount spreads nothing. */
int sys_mount(const char *source, const char *target, const char *type, unsigned long flags,
	      const char *options)
{
	in_kernel;
	struct fake_mount *m = fake_kernel_mount_on(target);

	(void)source;
	(void)type;
	(void)options;
	if (fake_kernel_call("mount %s %#lx", target, flags))
		return -1;
	if (!m)
		return fake_kernel_refuse(EINVAL);
	m->spreads = false;
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st;
	(void)type;
	return where->level ? remove(path) : 0;
}

/* What is in a tmpfs goes with it; other file systems here have nothing in them. */
static void take_away(const struct fake_mount *m)
{
	unsigned int at = (unsigned int)(m - fake_kernel->mount);

	if (!strcmp(fake_kernel->filesystem[m->filesystem].type, "tmpfs"))
		(void)nftw(m->path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	memmove(&fake_kernel->mount[at], &fake_kernel->mount[at + 1],
		(fake_kernel->mounts - at - 1) * sizeof(*m));
	fake_kernel->mounts--;
}

static bool has_below(const char *path)
{
	for (unsigned int i = 0; i < fake_kernel->mounts; i++)
		if (is_below(fake_kernel->mount[i].path, path))
			return true;
	return false;
}

int sys_umount(const char *place, int flags)
{
	in_kernel;
	char buf[FAKE_PATH];
	const char *target = settle(place, buf);
	struct fake_mount *m = fake_kernel_mount_on(target);

	if (fake_kernel_call("umount %s %#x", target, (unsigned int)flags))
		return -1;
	if (!m)
		return fake_kernel_refuse(EINVAL);
	if (!(flags & DETACH) && (m->busy || has_below(target)))
		return fake_kernel_refuse(EBUSY);
	for (unsigned int i = fake_kernel->mounts; i--;)
		if (is_below(fake_kernel->mount[i].path, target))
			take_away(&fake_kernel->mount[i]);
	take_away(fake_kernel_mount_on(target));
	return 0;
}

void fake_kernel_mount(const char *source, const char *path)
{
	in_kernel;
	int number = new_filesystem("ext4");

	snprintf(fake_kernel->filesystem[number].source, sizeof(fake_kernel->filesystem[0].source),
		 "%s", source);
	(void)attach((unsigned int)number, path);
}

/* --- the list ------------------------------------------------------------------------ */

static void print_path(FILE *to, const char *path)
{
	for (; *path; path++)
		if (strchr(" \t\n\\", *path))
			fprintf(to, "\\%03o", (unsigned int)*path);
		else
			fputc(*path, to);
}

static void print_mount(FILE *to, const struct fake_mount *m)
{
	const struct fake_filesystem *fs = &fake_kernel->filesystem[m->filesystem];
	unsigned int last = fs->devices ? fs->device[fs->devices - 1] : m->filesystem;

	/* A file system without a device has a number of its own, of major 0. */
	fprintf(to, "30 1 %d:%u / ", fs->devices ? FAKE_DM_MAJOR : 0, last);
	print_path(to, m->path);
	fprintf(to, " %s,relatime%s - %s %s %s", m->read_only ? "ro" : "rw",
		m->spreads ? " shared:1" : "", fs->type, fs->source, fs->read_only ? "ro" : "rw");
	if (fs->upperdir[0]) {
		fputs(",upperdir=", to);
		print_path(to, fs->upperdir);
	}
	fputc('\n', to);
}

FILE *mounts_open(void)
{
	in_kernel;
	FILE *list;

	if (fake_kernel_call("mountinfo"))
		return NULL;
	list = fdopen(fake_kernel_fd("mountinfo", 0), "w+");
	for (unsigned int i = 0; i < fake_kernel->mounts; i++)
		print_mount(list, &fake_kernel->mount[i]);
	rewind(list);
	return list;
}

/* --- files: real ones, but for what mounts mean to them ------------------------------ */

int sys_mkdir(const char *path, unsigned int mode)
{
	in_kernel;
	return fake_kernel_call("mkdir %s", path) ? -1 : mkdir(path, mode);
}

int sys_unlinkat(int dir, const char *name, int flags)
{
	in_kernel;

	if (fake_kernel_call("unlink %s", name))
		return -1;
	return fake_kernel_mount_on(name) ? fake_kernel_refuse(EBUSY) : unlinkat(dir, name, flags);
}

int sys_symlink(const char *target, const char *path)
{
	in_kernel;
	return fake_kernel_call("symlink %s", path) ? -1 : symlink(target, path);
}

int sys_setxattr(const char *path, const char *name, const char *value)
{
	in_kernel;

	(void)value;
	if (fake_kernel_call("setxattr %s %s", path, name))
		return -1;
	return is_directory(path) ? 0 : fake_kernel_refuse(ENOENT);
}

int sys_removexattr(const char *path, const char *name)
{
	in_kernel;
	return fake_kernel_call("removexattr %s %s", path, name);
}

/* A file system that has attributes, and none of this name. */
ssize_t getxattr(const char *path, const char *name, void *value, size_t size)
{
	(void)path;
	(void)name;
	(void)value;
	(void)size;
	return fake_kernel_refuse(ENODATA);
}

int sys_kernel_log(char *text, int size)
{
	(void)text;
	(void)size;
	return 0;
}
