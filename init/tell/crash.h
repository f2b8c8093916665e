/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef INIT_TELL_CRASH_H
#define INIT_TELL_CRASH_H

#include "init/plan/plan.h"

/*
 * PID 1 that a signal ends is the kernel's panic, and with panic=1 on the command
 * line a guest that starts anew for ever and never says why. So such a signal, a
 * mistake in socle-init or damaged memory, is a failure like the others:
 * INIT_CRASHED. A second one while it is told is the kernel's panic after all.
 */

/*
 * From now on, in this process: failure says how to tell and to leave, *step which
 * step it was. Both are looked at when it happens, so they must stay.
 */
void crash_catch(const struct plan_failure *failure, const char *const *step);

#endif
