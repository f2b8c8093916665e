/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_BASE_OUTPUT_H
#define IMAGE_BUILD_BASE_OUTPUT_H

#include <limits.h>
#include <sys/types.h>

#include "lib/err.h"

/*
 * Output files: each is written under a temporary name in its own directory,
 * synced, and renamed only when all of it is there. Whatever ends the program
 * before that (a failure, SIGINT, SIGTERM, SIGHUP) removes the temporary file
 * and kills the children that write into it.
 */
#define OUTPUT_MAX 160 /* files under way at once */

struct output {
	char path[PATH_MAX]; /* where it is going to be */
	char temp[PATH_MAX]; /* where it is now */
	int fd;              /* open for reading and writing */
};

/* Call once, before the first output: what the signals do. */
void output_catch_signals(void);

/* Where a device, a pipe, a folder or a link is, nothing is made. */
int output_create(struct output *ret, const char *path, struct err *e);

/* A file that is read must not be replaced by what is made of it; input may be NULL. */
int output_not_input(const char *output, const char *input, struct err *e);

/* Sync and rename; the descriptor is closed. On failure the file is gone. */
int output_commit(struct output *o, struct err *e);

/* A whole file of these bytes. */
int output_write(const char *path, const void *bytes, size_t size, struct err *e);

/* Take a file back: close and unlink. Harmless for one already committed. */
void output_discard(struct output *o);

/* Unlink everything under way and kill every child. Safe in a signal handler. */
void output_discard_all(void);

/* An unlinked temporary file in a directory, for what only this run needs. */
int output_scratch(const char *directory, struct err *e);

/* Children that die with this program; forget one when it has been waited for. */
void output_child_started(pid_t pid);
void output_child_ended(pid_t pid);
/* In the child, first thing: leave the parent's files and signals alone. */
void output_in_child(void);

#endif
