/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef TESTS_UNIT_UNIT_H
#define TESTS_UNIT_UNIT_H

/* What cmocka wants to stand before it, and what every test of ours uses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/array.h"
#include "lib/err.h"

/* How many descriptors are open: the same before and after where nothing leaks. */
size_t open_fds(void);

/* A folder of a test's own. */
struct temp {
	char path[64];
	int fd;
};

void temp_make(struct temp *t);
void temp_remove(struct temp *t);

/* Make a file or a link below a folder, with the folders that lead to it. */
void put_bytes(int dir, const char *path, const void *bytes, size_t size);
void put_text(int dir, const char *path, const char *text);
void put_link(int dir, const char *path, const char *target);
void put_dir(int dir, const char *path);

/*
 * Run a function in a process of its own, in a mount namespace of its own, with
 * a folder as its root: on a new tmpfs that fill() has put something into. What
 * it finds out goes into memory from shared_memory(). 0, or -1 where this
 * machine does not allow it.
 */
int in_own_root(void (*fill)(int dir), void (*run)(void *shared), void *shared);
void *shared_memory(size_t size);

/*
 * A main() of its own: run it in a process whose root has an empty /run, /proc and
 * nothing else, and return its status. Where this machine does not allow that, one case
 * is skipped.
 */
int with_own_run(int (*run)(void));

/*
 * The recorded failure has this code and these words; label is the row of the
 * table. r must be negative: a code without an error would be lost.
 */
void expect_failure(const char *label, int r, const struct err *e, enum fail_code code,
		    const char *words);

/* r is 0; else the test fails with the recorded sentence. */
void expect_success(const char *label, int r, const struct err *e);

#endif
