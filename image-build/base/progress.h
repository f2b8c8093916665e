/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_BASE_PROGRESS_H
#define IMAGE_BUILD_BASE_PROGRESS_H

#include <stdatomic.h>
#include <stdint.h>

/*
 * One bar on standard error, for people, with its rate and the time that is left: only
 * on a terminal, and only for what has taken longer than a second.
 */
struct progress {
	const char *what;
	uint64_t total; /* bytes */
	_Atomic uint64_t *done;
	int64_t started_ms;
	int shown;
};

void progress_start(struct progress *p, const char *what, uint64_t total, _Atomic uint64_t *done);
/* Call it a few times a second. */
void progress_show(struct progress *p);
/* Take the bar away. */
void progress_end(struct progress *p);

#endif
