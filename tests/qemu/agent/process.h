/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef TESTS_QEMU_AGENT_PROCESS_H
#define TESTS_QEMU_AGENT_PROCESS_H

#include "tests/qemu/agent/command.h"

/*
 * Programs that the host wants to run, with no environment, in /, their input from
 * a pipe. What they say goes into memory, so that none waits for a reader.
 *
 * "start INPUT PROGRAM ARGUMENT...": {"id"}, by which "wait" knows it.
 * "wait ID LIMIT_US": {"status", "signal", "killed", "us", "out", "err"}: how it ended;
 *	after its limit, 0: at once, by SIGKILL. us is how long it ran.
 * "signal ID NUMBER": {"errno"}.
 * "run LIMIT_US INPUT PROGRAM ARGUMENT...": both.
 */
void process_start(const struct command *c);
void process_wait(const struct command *c);
void process_signal(const struct command *c);
void process_run(const struct command *c);

/* Take what has ended, the orphans of others among it. */
void process_reap(void);

#endif
