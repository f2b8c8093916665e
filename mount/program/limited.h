/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_PROGRAM_LIMITED_H
#define MOUNT_PROGRAM_LIMITED_H

#include <stdint.h>

#include "mount/runtime/socle.h"

/*
 * A call of the library with an end. A disk is the host's, and a host may leave a read
 * without an answer for as long as it likes; the kernel waits for it, and no signal that
 * a program could handle ends that. So the call is made by a process of its own, which is
 * killed when it takes too long: what it waits for may still come, but nothing after it.
 */

/* For all that comes after the disks have been found. */
#define LIMITED_REST_MS 120000

/* What became of it. */
struct outcome {
	int result; /* 0, or error says why not */
	unsigned int deferred;
	struct socle_error error;
};

/*
 * A number that the process of a call counts up while it gets on, in memory that both have;
 * NULL where there is none. It is there until the program ends.
 */
uint64_t *limited_counter(void);

/*
 * Call, in a process that ends with this one. Where there is no end after limit_ms, or no
 * answer, *ret is a failure of this step, SYSTEM_CALL_FAILED; the process may be there
 * until the kernel lets go of it, and it keeps what it holds for so long.
 * counter: NULL, or each time that it changes the limit begins anew.
 */
void limited_call(void (*call)(const void *context, struct outcome *ret), const void *context,
		  int limit_ms, const uint64_t *counter, const char *step, struct outcome *ret);

#endif
