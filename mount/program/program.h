/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_PROGRAM_PROGRAM_H
#define MOUNT_PROGRAM_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "mount/runtime/socle.h"

/*
 * socle-volume's commands. Each is a file; what it says goes through here: one record
 * of success on standard output, one line of refusal on standard error, and the exit
 * status, which tells both apart where nothing can be written.
 */

/* Exit statuses, as socle-volume(8) has them. */
enum program_exit {
	PROGRAM_DONE,
	PROGRAM_USAGE,    /* the command line is wrong */
	PROGRAM_REFUSED,  /* the description or the policy: the same call fails again */
	PROGRAM_NO_DISK,  /* a disk is not there, or not yet */
	PROGRAM_NO_MATCH, /* bytes do not match their hashes */
	PROGRAM_SYSTEM,   /* the kernel or the system failed */
	PROGRAM_IN_USE,
};

struct command {
	const char *name;
	int (*run)(int argc, char **argv); /* argv[0] is the command's name */
	const char *usage;                 /* one line of arguments */
	const char *help;                  /* what it does and its options, lines */
};

extern const struct command command_mount, command_umount, command_list, command_verify,
	command_serve;

/* Print a usage error; PROGRAM_USAGE. */
int program_usage(const struct command *c, const char *problem, const char *what);

/* Take --timeout's value, 1 to 3600 seconds. PROGRAM_DONE, or the usage was printed. */
int program_timeout(const struct command *c, const char *value, int *ret_ms);

/* Print a command's help on standard output; PROGRAM_DONE. */
int program_help(const struct command *c);

/*
 * The line of a failure on standard error, and with as_json an object on standard output
 * as well. The exit status that its code leads to.
 */
int program_refuse(const struct socle_error *error, bool as_json);

/* A failure of the program itself, before there is a request. */
int program_fail(const char *code, bool as_json, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Write a whole text to standard output at once; what cannot be written is lost. */
void program_say(const char *text, size_t size);

/* A text that grows, for a record. What does not fit into memory ends the program. */
struct record {
	char *text;
	size_t used, size;
};

void record_add(struct record *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* As a JSON string, quotes and all; NULL is null. */
void record_add_string(struct record *r, const char *text);
/* Say it and free it. */
void record_say(struct record *r);

/*
 * Read a description or a sidecar: up to 1 MiB of a file, or of standard input for "-".
 * The text is allocated and has a closing NUL. PROGRAM_DONE, or what was printed is why.
 */
int program_read(const char *path, bool as_json, char **ret, size_t *ret_size);

#endif
