/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef TESTS_UNIT_FAKE_BOOT_H
#define TESTS_UNIT_FAKE_BOOT_H

#include <stdbool.h>
#include <stddef.h>

#include "init/steps.h"

/* As large as PID 1's, so not on the stack. */
extern struct boot boot;

/* A plan with layers of squashfs, found; open ones too if so wished. */
void make_boot(size_t layers, enum upper_kind upper, bool open);

/* How often the words are in fake_sys.log. */
size_t lines_with(const char *words);

/* What a step has left; log is fake_sys.log. */
struct step_result {
	int r;
	struct err e;
	unsigned int calls;
	char log[8192];
	char agent[PLAN_PATH_SIZE];
	char expedited[16]; /* /sys/kernel/rcu_expedited afterwards */
};

/* Run a step in a root of its own; skips the test where that is not allowed. */
const struct step_result *run_step_in_root(int (*step)(struct boot *b, struct err *e),
					   void (*fill)(int dir));

void fill_nothing(int dir);

#endif
