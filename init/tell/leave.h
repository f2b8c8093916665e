/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef INIT_TELL_LEAVE_H
#define INIT_TELL_LEAVE_H

#include "init/plan/plan.h"

/* PID 1's only way out but the agent: one line that says what failed, then off. */

/* How long telling a failure and going off may take, seconds; then the machine is reset. */
#define LEAVE_LIMIT_S 40

/*
 * Open what a failure is told on while its name still leads there: soon /dev is
 * in the new root.
 */
void leave_keep_open(const struct plan_failure *failure);

/*
 * Say the failure once on every console and, if there is one, to the report; let
 * them drain; then leave as failure says. Nobody may be watching any more, see
 * watchdog_stop(). Does not return.
 */
_Noreturn void leave(const struct plan_failure *failure, const char *step, const struct err *e);

#endif
