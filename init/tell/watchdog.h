/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef INIT_TELL_WATCHDOG_H
#define INIT_TELL_WATCHDOG_H

#include "init/plan/plan.h"

/*
 * No step waits for ever. A read of a disk that never answers cannot be
 * interrupted, so another process looks at how long a step takes: when that is
 * too long it tells BOOT_STALLED in the place of PID 1, and leaves.
 */

/* How long a step may take beyond the time that the plan gives to devices, seconds. */
#define WATCHDOG_STEP_S 60

/*
 * A step begins, which may wait for devices for devices_s seconds. The first call
 * starts the watchdog. Best effort.
 */
void watchdog_step(const char *step, unsigned int devices_s, const struct plan_failure *failure);

/* The agent comes, or a failure is about to be told: nobody watches any more. */
void watchdog_stop(void);

#endif
