// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/base/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "lib/clock.h"

#define WIDTH 40

void progress_start(struct progress *p, const char *what, uint64_t total, _Atomic uint64_t *done)
{
	*p = (struct progress){ what, total, done, clock_ms(), 0 };
	atomic_store(done, 0);
}

void progress_show(struct progress *p)
{
	static const char full[WIDTH + 1] = "########################################";
	uint64_t done = atomic_load(p->done);
	unsigned int percent = 100;

	if (!isatty(STDERR_FILENO) || clock_ms() - p->started_ms < 1000)
		return;
	if (p->total && done < p->total)
		percent = (unsigned int)((double)done * 100.0 / (double)p->total);
	fprintf(stderr, "\r%-10s [%-*.*s] %3u%% of %llu MiB", p->what, WIDTH,
		(int)(percent * WIDTH / 100), full, percent, (unsigned long long)(p->total >> 20));
	fflush(stderr);
	p->shown = 1;
}

void progress_end(struct progress *p)
{
	if (p->shown)
		fprintf(stderr, "\r%*s\r", WIDTH + 40, "");
	p->shown = 0;
}
