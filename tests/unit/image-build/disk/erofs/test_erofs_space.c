// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "image-build/disk/erofs/erofs_format.h"
#include "image-build/disk/erofs/erofs_space.h"

#define UNITS 4 /* bytes of what is marked at once */
#define ROOM  (64 << 20)

/* The same numbers in each run. */
static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* What may be placed: mostly inodes alone, some with much behind them. */
static void choose(uint32_t *state, uint64_t *fixed, uint32_t *tail)
{
	uint32_t kind = next_random(state) % 16;

	*fixed = EROFS_INODE_BYTES;
	*tail = 0;
	if (kind < 4)
		*tail = next_random(state) % (EROFS_TAIL_MAX + 1);
	else if (kind < 6)
		*tail = next_random(state) % 100;
	if (kind % 5 == 0)
		*fixed += 12 + next_random(state) % 100 * 4;
	if (kind == 15)
		*fixed += next_random(state) % 5000 * 4;
}

static void mark(bool *used, uint64_t at, uint64_t size)
{
	for (uint64_t i = at / UNITS; i < (at + size + UNITS - 1) / UNITS; i++) {
		assert_false(used[i]);
		used[i] = true;
	}
}

/* Everything has a place of its own, cut where it may be cut, and not far behind. */
static void test_places(void **state)
{
	bool *used = calloc(ROOM / UNITS, sizeof(*used));

	(void)state;
	assert_non_null(used);
	for (uint32_t seed = 1; seed <= 8; seed++) {
		struct erofs_space s = { .end = 0 };
		uint64_t furthest = 0, total = 0;

		memset(used, 0, ROOM / UNITS);
		for (int i = 0; i < 10000; i++) {
			uint64_t fixed, at, end;
			uint32_t tail, random = seed * 10000 + (uint32_t)i;

			choose(&random, &fixed, &tail);
			at = erofs_place(&s, fixed, tail);
			end = at + fixed + tail;
			mark(used, at, fixed + tail);
			total += fixed + tail;
			assert_int_equal(at % EROFS_SLOT, 0);
			assert_true(at % EROFS_BLOCK <= EROFS_BLOCK - EROFS_INODE_BYTES);
			if (tail)
				assert_int_equal((at + fixed) / EROFS_BLOCK,
						 (end - 1) / EROFS_BLOCK);
			if (fixed + tail <= EROFS_BLOCK)
				assert_int_equal(at / EROFS_BLOCK, (end - 1) / EROFS_BLOCK);
			assert_true(at + EROFS_SPACE_BACK >= furthest);
			assert_true(end <= s.end && s.end % EROFS_BLOCK == 0);
			if (end > furthest)
				furthest = end;
		}
		/* Little is lost, though a third of them has tails of half a block. */
		assert_true(s.end < total + total / 20);
	}
	free(used);
}

/* The first one is the root: its nid has 16 bits in the superblock. */
static void test_first(void **state)
{
	(void)state;
	for (uint64_t fixed = EROFS_INODE_BYTES; fixed < 70000; fixed += 4)
		for (uint32_t tail = 0; tail <= EROFS_TAIL_MAX; tail += 96) {
			struct erofs_space s = { .end = 0 };

			assert_true(erofs_place(&s, fixed, tail) < EROFS_BLOCK);
		}
}

/* Inodes alone fill their blocks. */
static void test_dense(void **state)
{
	struct erofs_space s = { .end = 0 };

	(void)state;
	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(erofs_place(&s, EROFS_INODE_BYTES, 0), i * EROFS_INODE_BYTES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_first),
		cmocka_unit_test(test_dense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
