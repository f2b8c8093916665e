/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef LIB_SYS_H
#define LIB_SYS_H

#include <stddef.h>

/*
 * The system calls that change the machine, one function each and nothing in
 * between. Tests link another file with the same functions, which records the
 * calls and fails each of them in turn. All return what the call returns and
 * set errno; musl has no wrappers for the newer ones.
 */

int sys_mount(const char *source, const char *target, const char *type, unsigned long flags,
	      const char *options);
int sys_umount(const char *target, int flags);
int sys_mkdir(const char *path, unsigned int mode);
int sys_symlink(const char *target, const char *path);
int sys_fsopen(const char *type);
int sys_fsconfig(int fs, unsigned int command, const char *key, const char *value);
int sys_fsmount(int fs, unsigned int attributes);
int sys_move_mount(int from, const char *to);
int sys_chdir(const char *path);
int sys_chroot(const char *path);
int sys_unlinkat(int dir, const char *name, int flags);
int sys_finit_module(int fd, const char *params);
/* A key of type "user" in this thread's own keyring; its number. It ends with an exec. */
int sys_add_key(const char *description, const void *payload, size_t size);
int sys_unlink_key(int key);
int sys_execve(const char *path, char *const argv[], char *const envp[]);

/* Open inside of a directory as if it were the root: no link leads out of it. */
int sys_open_in_root(int root, const char *path, int flags);

#endif
