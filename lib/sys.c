// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "lib/sys.h"

#include <fcntl.h>
#include <linux/keyctl.h>
#include <linux/loop.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <signal.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "lib/cleanup.h"

/* syslog(2); no header has its numbers. */
#define SYSLOG_ACTION_CONSOLE_LEVEL 8

/* <sys/mount.h> and <linux/mount.h> do not stand together in every libc. */
int mount(const char *source, const char *target, const char *type, unsigned long flags,
	  const void *options);
int umount2(const char *target, int flags);

int sys_mount(const char *source, const char *target, const char *type, unsigned long flags,
	      const char *options)
{
	return mount(source, target, type, flags, options);
}

int sys_umount(const char *target, int flags)
{
	return umount2(target, flags);
}

int sys_mkdir(const char *path, unsigned int mode)
{
	return mkdir(path, mode);
}

int sys_symlink(const char *target, const char *path)
{
	return symlink(target, path);
}

int sys_setxattr(const char *path, const char *name, const char *value)
{
	return setxattr(path, name, value, strlen(value), 0);
}

int sys_removexattr(const char *path, const char *name)
{
	return removexattr(path, name);
}

int sys_fsopen(const char *type)
{
	return (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);
}

int sys_fsconfig(int fs, unsigned int command, const char *key, const char *value)
{
	return (int)syscall(SYS_fsconfig, fs, command, key, value, 0);
}

int sys_fsmount(int fs, unsigned int attributes)
{
	return (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, attributes);
}

int sys_move_mount(int from, const char *to)
{
	return (int)syscall(SYS_move_mount, from, "", AT_FDCWD, to, MOVE_MOUNT_F_EMPTY_PATH);
}

int sys_chdir(const char *path)
{
	return chdir(path);
}

int sys_chroot(const char *path)
{
	return chroot(path);
}

int sys_rename(const char *from, const char *to)
{
	return rename(from, to);
}

int sys_fchmod(int fd, unsigned int mode)
{
	return fchmod(fd, mode);
}

int sys_unlinkat(int dir, const char *name, int flags)
{
	return unlinkat(dir, name, flags);
}

int sys_finit_module(int fd, const char *params)
{
	return (int)syscall(SYS_finit_module, fd, params, 0);
}

int sys_add_key(const char *description, const void *payload, size_t size)
{
	return (int)syscall(SYS_add_key, "user", description, payload, size,
			    KEY_SPEC_THREAD_KEYRING);
}

int sys_add_logon_key(const char *description, const void *payload, size_t size)
{
	return (int)syscall(SYS_add_key, "logon", description, payload, size,
			    KEY_SPEC_THREAD_KEYRING);
}

int sys_revoke_key(int key)
{
	return (int)syscall(SYS_keyctl, KEYCTL_REVOKE, key);
}

int sys_unlink_key(int key)
{
	return (int)syscall(SYS_keyctl, KEYCTL_UNLINK, key, KEY_SPEC_THREAD_KEYRING);
}

int sys_dm(unsigned int command, struct dm_ioctl *request)
{
	auto_fd int control = open("/dev/mapper/control", O_RDWR | O_CLOEXEC);
	int r = control < 0 ? -1 : (int)syscall(SYS_ioctl, control, command, request);

	return r < 0 ? -1 : 0;
}

int sys_loop_get_free(int control)
{
	return (int)syscall(SYS_ioctl, control, LOOP_CTL_GET_FREE);
}

int sys_loop_configure(int loop, const struct loop_config *config)
{
	return (int)syscall(SYS_ioctl, loop, LOOP_CONFIGURE, config);
}

int sys_dup2(int fd, int to)
{
	return dup2(fd, to);
}

int sys_close_range(unsigned int first, unsigned int last)
{
	return (int)syscall(SYS_close_range, first, last, 0);
}

int sys_limit_files(unsigned int count)
{
	const struct rlimit limit = { .rlim_cur = count, .rlim_max = count };

	return setrlimit(RLIMIT_NOFILE, &limit);
}

int sys_fork(void)
{
	return fork();
}

int sys_die_with_parent(void)
{
	return prctl(PR_SET_PDEATHSIG, SIGKILL);
}

int sys_kernel_log(char *text, int size)
{
	return klogctl(3 /* SYSLOG_ACTION_READ_ALL */, text, size);
}

int sys_console_level(int level)
{
	return klogctl(SYSLOG_ACTION_CONSOLE_LEVEL, NULL, level);
}

int sys_reboot(unsigned int command)
{
	return reboot((int)command);
}

int sys_execve(const char *path, char *const argv[], char *const envp[])
{
	return execve(path, argv, envp);
}

int sys_open_in_root(int root, const char *path, int flags)
{
	struct open_how how = {
		.flags = (unsigned int)flags,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};

	return (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}
