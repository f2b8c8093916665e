/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef INIT_PLAN_CMDLINE_H
#define INIT_PLAN_CMDLINE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The kernel command line, taken apart as the kernel does it: words end at
 * blanks outside of double quotes; a quote may open before the name or after
 * the '='; what stands behind a word "--" is the init's own and no parameter.
 * Pure.
 *
 * Source: next_arg() in the kernel's lib/cmdline.c, parse_args() in
 * kernel/params.c.
 */

/* The longest line that any architecture takes, with room for a bootconfig. */
#define CMDLINE_SIZE 32768

struct cmdline_param {
	const char *key;
	const char *value; /* NULL: a word without '=' */
	bool open_quote;   /* the line ends inside of its quotes */
};

/*
 * Take the next parameter from *rest, which is written to and moved on. 1: *ret
 * is filled with pointers into the text; 0: there is none left.
 */
int cmdline_next(char **rest, struct cmdline_param *ret);

/* The architecture that this program is built for, as uname(1) says it. */
#if defined(__x86_64__)
#define CMDLINE_MACHINE "x86_64"
#elif defined(__aarch64__)
#define CMDLINE_MACHINE "aarch64"
#elif defined(__s390x__)
#define CMDLINE_MACHINE "s390x"
#else
#define CMDLINE_MACHINE "unknown"
#endif

/*
 * The length at which a machine's kernel cuts a command line, without the closing
 * NUL; 0 if it is not known.
 */
size_t cmdline_limit(const char *machine);

#endif
