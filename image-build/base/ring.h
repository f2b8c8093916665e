/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_BASE_RING_H
#define IMAGE_BUILD_BASE_RING_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/err.h"

/*
 * Bytes from one thread to one or two others, each of which sees all of them: a few
 * buffers that go round. The writer waits while they are full, a reader while they
 * are empty, so memory is bounded and the slowest sets the pace.
 */
#define RING_BYTES   (256 << 10) /* of a buffer */
#define RING_BUFFERS 4
#define RING_READERS 2

struct ring {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint8_t *bytes;
	size_t sizes[RING_BUFFERS];
	uint64_t put;                /* buffers filled so far */
	uint64_t done[RING_READERS]; /* buffers that a reader is done with */
	bool held[RING_READERS];     /* it has one more in its hands */
	unsigned int readers;
	bool ended, abandoned;
	int result; /* with which it ended */
	struct err e;
};

void ring_open(struct ring *r, unsigned int readers);
/* When no thread uses it any more. */
void ring_close(struct ring *r);

/* Room for RING_BYTES; NULL where nobody wants more. */
uint8_t *ring_room(struct ring *r);
/* So many bytes of the room were filled. */
void ring_put(struct ring *r, size_t size);
/* That was all, or all up to a failure, which the readers are told behind it. */
void ring_end(struct ring *r, int result, const struct err *e);

/* The next bytes, valid until the next call: their number, 0 at the end, or -errno. */
ssize_t ring_next(struct ring *r, unsigned int reader, const void **ret, struct err *e);
/* Nobody wants more: whoever waits here, or comes, is told so; readers with -ECANCELED. */
void ring_abandon(struct ring *r);

#endif
