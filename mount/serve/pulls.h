/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_SERVE_PULLS_H
#define MOUNT_SERVE_PULLS_H

#include <stdint.h>

#include "mount/serve/pull.h"

/*
 * The pulls that are going on, each in a process of its own: what it waits for holds up
 * nobody else, and what breaks it breaks nothing else.
 */

/* Who is to have the answer. */
struct pull_caller {
	uint64_t client; /* its serial number */
	uint32_t stream;
};

struct pull {
	int pid;        /* 0: none, or it has been waited for */
	int fd;         /* where its answer comes from; -1: it has come */
	int64_t end_ms; /* of clock_ms(): it has none later than that */
	struct pull_caller caller;
};

struct pulls {
	struct pull pull[SERVE_PULLS_MAX];
};

void pulls_init(struct pulls *pulls);

/* Begin one. -EBUSY: there are as many as there may be; else what the system says. */
int pulls_start(struct pulls *pulls, const struct serve_options *options,
		const struct catalogue *catalogue, const struct pull_request *request,
		const struct pull_caller *caller);

/* Has this caller one that has no answer yet? */
bool pulls_have(const struct pulls *pulls, const struct pull_caller *caller);

/* Take an answer once its descriptor can be read. A process that died without one is a refusal. */
void pull_finish(struct pull *pull, struct pull_answer *ret);

/*
 * End one that is too late, for a host may leave a read of a disk without an answer for as
 * long as it likes; *ret is a refusal. The process may be there until the kernel lets go
 * of it, and counts as a pull for so long.
 */
void pull_give_up(struct pull *pull, struct pull_answer *ret);

/* Take leave of the processes that have ended; how many are left. */
size_t pulls_reap(struct pulls *pulls);

/* End those that are left, and wait for that, but for those that the kernel holds. */
void pulls_kill(struct pulls *pulls);

#endif
