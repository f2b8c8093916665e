/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_BASE_JOBS_H
#define IMAGE_BUILD_BASE_JOBS_H

#include <stddef.h>

#include "image-build/base/progress.h"
#include "lib/err.h"

/*
 * The same work for each of count items, as many at once as this process may
 * use CPUs. run(context, index, e) does one. The first failure (that of the
 * lowest index, so that it is the same every time) is returned, and with
 * children the rest is killed. Progress is shown where p is not NULL.
 */
int jobs_in_threads(size_t count, int (*run)(void *context, size_t index, struct err *e),
		    void *context, struct progress *p, struct err *e);

/*
 * In a child process each. What a job writes into memory stays in its child but
 * for what stands in memory from jobs_shared().
 */
int jobs_in_children(size_t count, int (*run)(void *context, size_t index, struct err *e),
		     void *context, struct progress *p, struct err *e);

/* Zeroed memory that children share with their parent; never freed. */
void *jobs_shared(size_t size);

#endif
