/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef TESTS_QEMU_AGENT_COMMAND_H
#define TESTS_QEMU_AGENT_COMMAND_H

#include <stddef.h>

/* A word of a command; a NUL that is not among its bytes stands behind them. */
struct word {
	char *text;
	size_t size;
};

/*
 * What the host asked for: words[0] is the verb, count includes it, and a word
 * without text stands behind the last.
 */
struct command {
	struct word *words;
	size_t count;
};

/*
 * Read the next one from a descriptor. 0, or a negative number where there is none
 * any more or it is malformed. command_free() frees it.
 */
int command_read(int fd, struct command *ret);
void command_free(struct command *c);

/* A word as a number; 0 where there is no such word. */
unsigned long command_number(const struct command *c, size_t index);

#endif
