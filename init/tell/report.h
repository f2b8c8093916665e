/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef INIT_TELL_REPORT_H
#define INIT_TELL_REPORT_H

#include <stdint.h>

#include "init/plan/plan.h"

/*
 * Where the failure line goes besides the consoles: to the device or to the
 * host's vsock port of socle.report=. It has left the machine when these return,
 * or a limit is over: a host that does not read must not keep the guest up.
 */

/* How long a device may take to send a line on, in milliseconds. */
#define REPORT_DEVICE_MS 1000

/* How long the host may take to answer, to take the line and to close, together. */
#define REPORT_VSOCK_MS 3000

/* How long a driver may take to make its device, in milliseconds. */
#define REPORT_WAIT_MS 1000

/* Is there a report whose way out may not be there without a module? */
bool report_needs_driver(const struct plan_failure *failure);

/* Its driver is loaded: wait until the device is there, or for long enough. */
void report_await(const struct plan_failure *failure);

/* Open the report's device while its name still leads there: soon /dev is in the new root. */
void report_keep_open(const struct plan_failure *failure);

/* Hand the line, which ends with a newline, to what is named, if anything. */
void report_line(const struct plan_failure *failure, const char *line);

/* tcdrain() with an end. */
void report_drain(int fd);

/*
 * The conversation over a stream socket that is connected or about to be:
 * non-blocking, the line, no more from us, and then until the other side has
 * read it all and closed. end_ms is a time of clock_ms().
 */
void report_talk(int fd, const char *line, int64_t end_ms);

#endif
