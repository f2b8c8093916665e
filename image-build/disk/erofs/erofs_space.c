// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/disk/erofs/erofs_space.h"

#include "image-build/disk/erofs/erofs_format.h"

static uint64_t round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

static void drop(struct erofs_space *s, size_t i)
{
	s->gaps[i] = s->gaps[--s->count];
}

/* Forget what is too far behind. */
static void drop_old(struct erofs_space *s)
{
	for (size_t i = s->count; i > 0; i--)
		if (s->gaps[i - 1].at + EROFS_SPACE_BACK < s->end)
			drop(s, i - 1);
}

/* Remember what is free from here to there, where an inode fits; the smallest gap makes room. */
static void add(struct erofs_space *s, uint64_t at, uint64_t to)
{
	size_t smallest = 0;

	at = round_up(at, EROFS_SLOT);
	if (at + EROFS_INODE_BYTES > to)
		return;
	if (s->count == EROFS_SPACE_GAPS) {
		for (size_t i = 1; i < s->count; i++)
			if (s->gaps[i].size < s->gaps[smallest].size)
				smallest = i;
		drop(s, smallest);
	}
	s->gaps[s->count++] = (struct erofs_gap){ at, (uint32_t)(to - at) };
}

/* The smallest gap that is large enough, the first of several; s->count for none. */
static size_t best(const struct erofs_space *s, uint64_t size)
{
	size_t found = s->count;

	for (size_t i = 0; i < s->count; i++) {
		const struct erofs_gap *g = &s->gaps[i];

		if (g->size < size)
			continue;
		if (found == s->count || g->size < s->gaps[found].size ||
		    (g->size == s->gaps[found].size && g->at < s->gaps[found].at))
			found = i;
	}
	return found;
}

static uint64_t place_in_block(struct erofs_space *s, uint64_t size)
{
	size_t i = best(s, size);
	struct erofs_gap gap;

	if (i == s->count) {
		gap = (struct erofs_gap){ s->end, EROFS_BLOCK };
		s->end += EROFS_BLOCK;
		drop_old(s);
	} else {
		gap = s->gaps[i];
		drop(s, i);
	}
	add(s, gap.at + size, gap.at + gap.size);
	return gap.at;
}

/*
 * In new blocks: from the beginning of the first, or so far behind it that the tail
 * begins its block.
 */
static uint64_t place_across(struct erofs_space *s, uint64_t fixed, uint32_t tail)
{
	uint64_t start = s->end, end;

	if (fixed % EROFS_BLOCK + tail > EROFS_BLOCK)
		start += round_up(EROFS_BLOCK - fixed % EROFS_BLOCK, EROFS_SLOT);
	end = start + fixed + tail;
	add(s, s->end, start);
	s->end = round_up(end, EROFS_BLOCK);
	drop_old(s);
	add(s, end, s->end);
	return start;
}

uint64_t erofs_place(struct erofs_space *s, uint64_t fixed, uint32_t tail)
{
	return fixed + tail <= EROFS_BLOCK ? place_in_block(s, fixed + tail) :
					     place_across(s, fixed, tail);
}
