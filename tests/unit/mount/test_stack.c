// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Volumes and their further devices, counted. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mount/stack.h"

static struct stack stack;

static void test_empty(void **state)
{
	(void)state;
	memset(&stack, 0xff, sizeof(stack));
	stack_init(&stack);
	assert_int_equal(stack.count, 0);
	assert_int_equal(stack_layers(&stack), 0);
	assert_int_equal(stack.upper.kind, UPPER_NONE);
	assert_int_equal(stack.signatures_used, 0);
}

/* Named by their place, ready to be filled in, and no more than there is room for. */
static void test_add(void **state)
{
	struct volume *v = NULL;
	struct err e = { 0 };
	char name[32];

	(void)state;
	memset(&stack, 0xff, sizeof(stack));
	stack_init(&stack);
	for (size_t i = 0; i < STACK_VOLUMES_MAX; i++) {
		expect_success("a volume", stack_add(&stack, &v, &e), &e);
		snprintf(name, sizeof(name), "volume-%zu", i);
		assert_ptr_equal(v, &stack.volume[i]);
		assert_string_equal(v->name, name);
		assert_string_equal(v->dm_name, "");
		assert_int_equal(v->data.kind, DEVREF_NONE);
		assert_int_equal(v->verity.data_block_size, 4096);
	}
	v = NULL;
	expect_failure("one more", stack_add(&stack, &v, &e), &e, FAIL_LIMIT_EXCEEDED,
		       "more than 384 volumes");
	assert_null(v);
	assert_int_equal(stack.count, STACK_VOLUMES_MAX);
}

/* A layer of one device, one of three, one of two: volumes 0, 1 to 3, 4 and 5. */
static void test_layers(void **state)
{
	struct volume *v;
	struct err e = { 0 };

	(void)state;
	stack_init(&stack);
	for (size_t i = 0; i < 6; i++)
		expect_success("a volume", stack_add(&stack, &v, &e), &e);
	assert_int_equal(stack_layers(&stack), 6);
	stack.volume[1].devices = 2;
	stack.volume[4].devices = 1;
	assert_int_equal(stack_layers(&stack), 3);
	assert_int_equal(stack_next(&stack, 0), 1);
	assert_int_equal(stack_next(&stack, 1), 4);
	assert_int_equal(stack_next(&stack, 4), 6);
	stack_init(&stack);
	stack.directories = 2;
	assert_int_equal(stack_layers(&stack), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_add),
		cmocka_unit_test(test_layers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
