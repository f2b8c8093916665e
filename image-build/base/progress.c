// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/base/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "lib/clock.h"

#define WIDTH     24
#define PACE_SIZE 48

void progress_start(struct progress *p, const char *what, uint64_t total, _Atomic uint64_t *done)
{
	*p = (struct progress){ what, total, done, clock_ms(), 0 };
	atomic_store(done, 0);
}

/* " 123 MiB/s, 1:05 left", or nothing where it cannot be said yet. */
static void describe_pace(const struct progress *p, uint64_t done, int64_t ms, char text[PACE_SIZE])
{
	uint64_t rate = done * 1000 / (uint64_t)ms; /* bytes a second */
	uint64_t left;

	text[0] = '\0';
	if (!rate || done > p->total)
		return;
	left = (p->total - done) / rate;
	snprintf(text, PACE_SIZE, ", %llu MiB/s, %llu:%02llu left",
		 (unsigned long long)(rate >> 20), (unsigned long long)(left / 60),
		 (unsigned long long)(left % 60));
}

void progress_show(struct progress *p)
{
	static const char full[WIDTH + 1] = "########################";
	uint64_t done = atomic_load(p->done);
	int64_t ms = clock_ms() - p->started_ms;
	unsigned int percent = 100;
	char pace[PACE_SIZE];

	if (!isatty(STDERR_FILENO) || ms < 1000)
		return;
	if (p->total && done < p->total)
		percent = (unsigned int)((double)done * 100.0 / (double)p->total);
	describe_pace(p, done, ms, pace);
	/* What an earlier line had more of is cleared. */
	fprintf(stderr, "\r%-8s[%-*.*s] %3u%% of %llu MiB%s\033[K", p->what, WIDTH,
		(int)(percent * WIDTH / 100), full, percent, (unsigned long long)(p->total >> 20),
		pace);
	fflush(stderr);
	p->shown = 1;
}

void progress_end(struct progress *p)
{
	if (p->shown)
		fprintf(stderr, "\r\033[K");
	p->shown = 0;
}
