/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef TESTS_UNIT_FAKE_SYS_H
#define TESTS_UNIT_FAKE_SYS_H

#include <stdbool.h>
#include <stddef.h>

struct dm_ioctl;

/*
 * lib/sys.h's functions without their effect: each call is written down as a
 * line, and one of them can be made to fail. Linked in the place of lib/sys.c
 * into a test that names anything of this, itself or through another helper.
 */
struct fake_sys {
	char log[65536]; /* one line a call */
	size_t used;
	unsigned int calls;     /* how many there were */
	unsigned int fail_call; /* which one fails, from 1; 0: none */
	int fail_errno;
	const char *kernel_words; /* what a mount context's log says, or NULL */
	bool unlink_really;
	unsigned char key[128]; /* the last one of type logon, its first bytes */
	const char *kernel_log; /* what the kernel's log ends with, or NULL */
	/* What device-mapper does (fake_dm.h), or NULL: a line of the log, and nothing more. */
	int (*dm)(unsigned int command, struct dm_ioctl *request);
};

extern struct fake_sys fake_sys;

/* Forget all calls; the errno of the call that fails, if one is to. */
void fake_sys_reset(unsigned int fail_call, int fail_errno);

/* For doubles of other calls: write a line down; -1 and errno where it is its turn to fail. */
int fake_sys_call(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* What switch_root("/sysroot") leaves in the log. */
#define SWITCH_ROOT_CALLS                                                                          \
	"mkdir /sysroot/dev 0755\n"                                                                \
	"mount /dev /sysroot/dev type=- flags=0x2000 options=-\n"                                  \
	"mkdir /sysroot/proc 0755\n"                                                               \
	"mount /proc /sysroot/proc type=- flags=0x2000 options=-\n"                                \
	"mkdir /sysroot/sys 0755\n"                                                                \
	"mount /sys /sysroot/sys type=- flags=0x2000 options=-\n"                                  \
	"mkdir /sysroot/run 0755\n"                                                                \
	"mount /run /sysroot/run type=- flags=0x2000 options=-\n"                                  \
	"chdir /sysroot\n"                                                                         \
	"mount . / type=- flags=0x2000 options=-\n"                                                \
	"chroot .\n"                                                                               \
	"chdir /\n"

#endif
