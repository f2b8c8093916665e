// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/base/ring.h"

#include <errno.h>

#include "image-build/base/memory.h"

void ring_open(struct ring *r, unsigned int readers)
{
	*r = (struct ring){ .readers = readers };
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->changed, NULL);
	r->bytes = memory_zero(RING_BUFFERS, RING_BYTES);
}

void ring_close(struct ring *r)
{
	if (!r->bytes)
		return;
	pthread_mutex_destroy(&r->lock);
	pthread_cond_destroy(&r->changed);
	free(r->bytes);
	r->bytes = NULL;
}

static bool is_full(const struct ring *r)
{
	for (unsigned int i = 0; i < r->readers; i++)
		if (r->put - r->done[i] == RING_BUFFERS)
			return true;
	return false;
}

uint8_t *ring_room(struct ring *r)
{
	uint8_t *room;

	pthread_mutex_lock(&r->lock);
	while (is_full(r) && !r->abandoned)
		pthread_cond_wait(&r->changed, &r->lock);
	room = r->abandoned ? NULL : r->bytes + r->put % RING_BUFFERS * RING_BYTES;
	pthread_mutex_unlock(&r->lock);
	return room;
}

void ring_put(struct ring *r, size_t size)
{
	pthread_mutex_lock(&r->lock);
	r->sizes[r->put++ % RING_BUFFERS] = size;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

void ring_end(struct ring *r, int result, const struct err *e)
{
	pthread_mutex_lock(&r->lock);
	if (!r->ended) {
		r->ended = true;
		r->result = result;
		if (result && e)
			r->e = *e;
	}
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

void ring_abandon(struct ring *r)
{
	pthread_mutex_lock(&r->lock);
	r->abandoned = true;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

static ssize_t take(struct ring *r, unsigned int reader, const void **ret, struct err *e)
{
	uint64_t at = r->done[reader];

	if (r->abandoned)
		return -ECANCELED;
	if (at == r->put) {
		if (r->result && e)
			*e = r->e;
		return r->result;
	}
	r->held[reader] = true;
	*ret = r->bytes + at % RING_BUFFERS * RING_BYTES;
	return (ssize_t)r->sizes[at % RING_BUFFERS];
}

ssize_t ring_next(struct ring *r, unsigned int reader, const void **ret, struct err *e)
{
	ssize_t n;

	pthread_mutex_lock(&r->lock);
	if (r->held[reader]) {
		r->held[reader] = false;
		r->done[reader]++;
		pthread_cond_broadcast(&r->changed);
	}
	while (r->done[reader] == r->put && !r->ended && !r->abandoned)
		pthread_cond_wait(&r->changed, &r->lock);
	n = take(r, reader, ret, e);
	pthread_mutex_unlock(&r->lock);
	return n;
}
