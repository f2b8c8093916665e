/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef LIB_SYS_H
#define LIB_SYS_H

#include <stddef.h>

struct dm_ioctl;    /* <linux/dm-ioctl.h> */
struct loop_config; /* <linux/loop.h> */

/*
 * The system calls that change the machine or what the agent inherits, one
 * function each and nothing in between; what only asks, and what a process does
 * to its own files and children, is called as libc has it. Tests link another file with the same
 * functions, which records the calls and fails each of them in turn. All return what the call
 * returns and set errno; musl has no wrappers for the newer ones.
 */

int sys_mount(const char *source, const char *target, const char *type, unsigned long flags,
	      const char *options);
int sys_umount(const char *target, int flags);
int sys_mkdir(const char *path, unsigned int mode);
int sys_symlink(const char *target, const char *path);
int sys_setxattr(const char *path, const char *name, const char *value);
int sys_removexattr(const char *path, const char *name);
int sys_fsopen(const char *type);
int sys_fsconfig(int fs, unsigned int command, const char *key, const char *value);
int sys_fsmount(int fs, unsigned int attributes);
int sys_move_mount(int from, const char *to);
int sys_chdir(const char *path);
int sys_chroot(const char *path);
int sys_unlinkat(int dir, const char *name, int flags);
int sys_rename(const char *from, const char *to);
int sys_fchmod(int fd, unsigned int mode);
int sys_finit_module(int fd, const char *params);
/* A key of type "user" in this thread's own keyring; its number. It ends with an exec. */
int sys_add_key(const char *description, const void *payload, size_t size);
int sys_unlink_key(int key);
/* The same of type "logon", which no program can read; and wipe one. */
int sys_add_logon_key(const char *description, const void *payload, size_t size);
int sys_revoke_key(int key);
/* One request of device-mapper's (DM_…), through a descriptor of its own. */
int sys_dm(unsigned int command, struct dm_ioctl *request);
/* The number of a loop device that is free, now; and give it a file. */
int sys_loop_get_free(int control);
int sys_loop_configure(int loop, const struct loop_config *config);
int sys_dup2(int fd, int to);
/* Close every descriptor from first to last. */
int sys_close_range(unsigned int first, unsigned int last);
/* How many descriptors this process and those that it starts may have open. */
int sys_limit_files(unsigned int count);
int sys_fork(void);
/* From now on whoever kills our parent kills us as well. */
int sys_die_with_parent(void);
/* Which of the kernel's messages the consoles show: those below this level, 1 to 8. */
int sys_console_level(int level);
/* The last bytes of the kernel's log; how many there are. */
int sys_kernel_log(char *text, int size);
/* One of <sys/reboot.h>'s RB_*; returns only where it failed. */
int sys_reboot(unsigned int command);
int sys_execve(const char *path, char *const argv[], char *const envp[]);

/* Open inside of a directory as if it were the root: no link leads out of it. */
int sys_open_in_root(int root, const char *path, int flags);

#endif
