// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/fake_sys.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/dm-ioctl.h>
#include <linux/loop.h>
#include <linux/mount.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/sys.h"

struct fake_sys fake_sys;

void fake_sys_reset(unsigned int fail_call, int fail_errno)
{
	memset(&fake_sys, 0, sizeof(fake_sys));
	fake_sys.fail_call = fail_call;
	fake_sys.fail_errno = fail_errno;
}

int fake_sys_call(const char *fmt, ...)
{
	size_t room = sizeof(fake_sys.log) - fake_sys.used;
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(fake_sys.log + fake_sys.used, room, fmt, args);
	va_end(args);
	if (n > 0 && (size_t)n < room)
		fake_sys.used += (size_t)n;
	if (++fake_sys.calls != fake_sys.fail_call)
		return 0;
	errno = fake_sys.fail_errno;
	return -1;
}

static const char *or_none(const char *text)
{
	return text ? text : "-";
}

int sys_mount(const char *source, const char *target, const char *type, unsigned long flags,
	      const char *options)
{
	return fake_sys_call("mount %s %s type=%s flags=%#lx options=%s\n", source, target,
			     or_none(type), flags, or_none(options));
}

int sys_umount(const char *target, int flags)
{
	return fake_sys_call("umount %s flags=%#x\n", target, (unsigned int)flags);
}

int sys_close_range(unsigned int first, unsigned int last)
{
	return fake_sys_call("close_range %u %u\n", first, last);
}

int sys_rename(const char *from, const char *to)
{
	return fake_sys_call("rename %s %s\n", from, to);
}

int sys_fchmod(int fd, unsigned int mode)
{
	(void)fd;
	return fake_sys_call("fchmod %#o\n", mode);
}

int sys_mkdir(const char *path, unsigned int mode)
{
	return fake_sys_call("mkdir %s %#o\n", path, mode);
}

int sys_symlink(const char *target, const char *path)
{
	return fake_sys_call("symlink %s %s\n", target, path);
}

int sys_setxattr(const char *path, const char *name, const char *value)
{
	return fake_sys_call("setxattr %s %s %s\n", path, name, value);
}

int sys_removexattr(const char *path, const char *name)
{
	return fake_sys_call("removexattr %s %s\n", path, name);
}

/* A mount context: reads take its messages, one each, and never wait. */
int sys_fsopen(const char *type)
{
	int ends[2];

	if (fake_sys_call("fsopen %s\n", type))
		return -1;
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends))
		return -1;
	for (const char *line = fake_sys.kernel_words; line && *line;) {
		size_t length = strcspn(line, "\n");

		length += line[length] == '\n';
		if (write(ends[1], line, length) < 0)
			break;
		line += length;
	}
	close(ends[1]);
	return ends[0];
}

int sys_fsconfig(int fs, unsigned int command, const char *key, const char *value)
{
	const char *what = command == FSCONFIG_SET_FLAG   ? "flag" :
			   command == FSCONFIG_SET_STRING ? "string" :
			   command == FSCONFIG_CMD_CREATE ? "create" :
							    "?";

	(void)fs;
	return fake_sys_call("fsconfig %s %s %s\n", what, or_none(key), or_none(value));
}

int sys_fsmount(int fs, unsigned int attributes)
{
	(void)fs;
	if (fake_sys_call("fsmount %#x\n", attributes))
		return -1;
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int sys_move_mount(int from, const char *to)
{
	(void)from;
	return fake_sys_call("move_mount %s\n", to);
}

int sys_chdir(const char *path)
{
	return fake_sys_call("chdir %s\n", path);
}

int sys_chroot(const char *path)
{
	return fake_sys_call("chroot %s\n", path);
}

int sys_unlinkat(int dir, const char *name, int flags)
{
	if (fake_sys_call("unlink %s%s\n", name, flags & AT_REMOVEDIR ? "/" : ""))
		return -1;
	return fake_sys.unlink_really ? unlinkat(dir, name, flags) : 0;
}

int sys_finit_module(int fd, const char *params)
{
	char name[64];
	ssize_t n = pread(fd, name, sizeof(name) - 1, 0);

	name[n > 0 ? n : 0] = '\0';
	return fake_sys_call("finit_module %s params=%s\n", name, params);
}

int sys_add_key(const char *description, const void *payload, size_t size)
{
	(void)payload;
	return fake_sys_call("add_key %s size=%zu\n", description, size) ? -1 : 77;
}

int sys_add_logon_key(const char *description, const void *payload, size_t size)
{
	memcpy(fake_sys.key, payload, size < sizeof(fake_sys.key) ? size : sizeof(fake_sys.key));
	return fake_sys_call("add_logon_key %s size=%zu\n", description, size) ? -1 : 78;
}

int sys_revoke_key(int key)
{
	return fake_sys_call("revoke_key %d\n", key);
}

int sys_unlink_key(int key)
{
	return fake_sys_call("unlink_key %d\n", key);
}

int sys_dm(unsigned int command, struct dm_ioctl *request)
{
	return fake_sys.dm ? fake_sys.dm(command, request) :
			     fake_sys_call("dm %#x %s\n", command, request->name);
}

int sys_loop_get_free(int control)
{
	(void)control;
	return fake_sys_call("loop_get_free\n") ? -1 : 7;
}

int sys_loop_configure(int loop, const struct loop_config *config)
{
	(void)loop;
	return fake_sys_call("loop_configure block_size=%u flags=%#x\n", config->block_size,
			     config->info.lo_flags);
}

int sys_dup2(int fd, int to)
{
	(void)fd;
	return fake_sys_call("dup2 %d\n", to) ? -1 : to;
}

int sys_limit_files(unsigned int count)
{
	return fake_sys_call("limit_files %u\n", count);
}

/* Who asked is the parent of a process that is not there. */
int sys_fork(void)
{
	return fake_sys_call("fork\n") ? -1 : INT_MAX;
}

int sys_die_with_parent(void)
{
	return fake_sys_call("die_with_parent\n");
}

/* It asks only, so it is not among the calls. */
int sys_kernel_log(char *text, int size)
{
	return fake_sys.kernel_log ? snprintf(text, (size_t)size, "%s", fake_sys.kernel_log) : 0;
}

int sys_console_level(int level)
{
	return fake_sys_call("console_level %d\n", level);
}

int sys_reboot(unsigned int command)
{
	return fake_sys_call("reboot %#x\n", command);
}

int sys_execve(const char *path, char *const argv[], char *const envp[])
{
	size_t args = 0;

	while (argv[args])
		args++;
	(void)fake_sys_call("execve %s argv[0]=%s args=%zu env=%s\n", path, argv[0], args, envp[0]);
	errno = fake_sys.fail_errno ? fake_sys.fail_errno : ENOEXEC;
	return -1;
}

int sys_open_in_root(int root, const char *path, int flags)
{
	if (fake_sys_call("open_in_root %s\n", path))
		return -1;
	return openat(root, path + strspn(path, "/"), flags);
}
