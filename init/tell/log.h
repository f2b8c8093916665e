/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef INIT_TELL_LOG_H
#define INIT_TELL_LOG_H

#include "init/plan/plan.h"

/*
 * What PID 1 says, and the one line that it says when it fails. Lines go to
 * /dev/kmsg, so to every console.
 */

/* Open /dev/kmsg and lift the kernel's limit on lines from there. Harmless twice. */
void log_open(void);

/* Put that limit back: who runs after us is not to flood the log. log_open() lifts it again. */
void log_limit_again(void);

/* A line of news; "quiet" hides it. */
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Open what a failure is told on while its name still leads there: soon /dev is
 * in the new root.
 */
void log_keep_open(const struct plan_failure *failure);

/*
 * Say the failure once on every console and, if there is one, to the report; let
 * them drain; then leave as failure says. Does not return.
 */
_Noreturn void log_failure(const struct plan_failure *failure, const char *step,
			   const struct err *e);

#endif
