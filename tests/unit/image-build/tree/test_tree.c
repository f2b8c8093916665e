// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Names by the hundred thousand, in one directory or one below the other. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "image-build/tree/tree.h"

#define MANY  200000
#define MODEL 64 /* names that come and go */

/* The slots that are looked at to find every name once, and those for as many that are not there.
 */
static void count_steps(const struct children *c, uint64_t *found, uint64_t *missing)
{
	uint64_t run = 0;

	assert_false(c->sorted);
	*found = *missing = 0;
	for (uint32_t i = 0; i < c->room; i++) {
		run = c->slots[i] ? run + 1 : 0;
		*missing += 1 + run;
		if (c->slots[i])
			*found += 1 + ((i - c->slots[i]->hash) & (c->room - 1));
	}
	*missing = *missing * c->count / c->room;
}

/* Numbers that go up, that jump, and that differ far behind what all have in common. */
static void make_name(char name[64], size_t kind, uint32_t i)
{
	if (kind == 0)
		snprintf(name, 64, "%u", i);
	else if (kind == 1)
		snprintf(name, 64, "%08x-some-file-name.c", i * 2654435761u);
	else
		snprintf(name, 64, "all-of-them-begin-like-this-%08x", i << 12);
}

/* However many names there are, each is a few slots away. */
static void test_steps(void **state)
{
	(void)state;
	for (size_t kind = 0; kind < 3; kind++) {
		uint64_t found, missing;
		struct tree t;
		char name[64];

		tree_init(&t);
		for (uint32_t i = 0; i < MANY; i++) {
			make_name(name, kind, i);
			node_add(&t, t.root, name);
		}
		assert_int_equal(t.names, MANY);
		count_steps(t.root->children, &found, &missing);
		/* At two thirds full 2 and 5 are to be expected, by Knuth's formulas. */
		assert_in_range(found, MANY, 3 * MANY);
		assert_in_range(missing, MANY, 7 * MANY);
		for (uint32_t i = 0; i < MANY; i++) {
			make_name(name, kind, i);
			assert_string_equal(node_child(t.root, name)->name, name);
		}
		tree_free(&t);
	}
}

static void expect_order(const struct node *dir)
{
	struct node *const *children = node_children(dir);

	for (size_t i = 1; i < node_child_count(dir); i++)
		assert_true(strcmp(children[i - 1]->name, children[i]->name) < 0);
}

/* Names added, removed and put in order at random: what is there is found, the rest is not. */
static void test_changes(void **state)
{
	bool there[MODEL] = { false };
	size_t count = 0;
	uint32_t seed = 1;
	struct tree t;

	(void)state;
	tree_init(&t);
	for (uint32_t round = 0; round < 20000; round++) {
		uint32_t i = (seed = seed * 1664525u + 1013904223u) >> 16;
		char name[64];

		snprintf(name, sizeof(name), "%u", i % MODEL);
		if (i % 7 == 0) {
			expect_order(t.root);
		} else if (there[i % MODEL]) {
			node_remove(&t, node_child(t.root, name));
			count--;
		} else {
			node_add(&t, t.root, name);
			count++;
		}
		there[i % MODEL] ^= i % 7 != 0;
		assert_int_equal(t.names, count);
		assert_int_equal(node_child_count(t.root), count);
		for (uint32_t k = 0; k < MODEL; k++) {
			snprintf(name, sizeof(name), "%u", k);
			assert_int_equal(node_child(t.root, name) != NULL, there[k]);
		}
	}
	tree_free(&t);
}

/* A name is looked for by its bytes, the shorter one first: "a" is not "ab". */
static void test_prefixes(void **state)
{
	struct tree t;

	(void)state;
	tree_init(&t);
	node_add(&t, t.root, "ab");
	node_add(&t, t.root, "\xff");
	node_add(&t, t.root, "a");
	for (int sorted = 0; sorted < 2; sorted++) {
		assert_string_equal(node_find(t.root, "abc", 1)->name, "a");
		assert_string_equal(node_find(t.root, "abc", 2)->name, "ab");
		assert_null(node_find(t.root, "abc", 3));
		assert_null(node_find(t.root, "abc", 0));
		assert_string_equal(node_children(t.root)[0]->name, "a");
		assert_string_equal(node_children(t.root)[2]->name, "\xff");
	}
	tree_free(&t);
}

static int count_visits(struct node *node, void *context, struct err *e)
{
	size_t *visits = context;

	(void)node;
	(void)e;
	++*visits;
	return 0;
}

/* Deeper than any stack could follow. */
static void test_depth(void **state)
{
	struct node *node;
	struct tree t;
	size_t visits = 0;

	(void)state;
	tree_init(&t);
	node = t.root;
	for (size_t i = 0; i < MANY; i++)
		node = node_add(&t, node, "d");
	assert_int_equal(tree_walk(t.root, count_visits, &visits, NULL), 0);
	assert_int_equal(visits, MANY + 1);
	node_remove_children(&t, node_child(t.root, "d"));
	assert_int_equal(t.names, 1);
	node_remove(&t, node_child(t.root, "d"));
	assert_int_equal(t.names, 0);
	tree_free(&t);
}

/* What a name and a file cost, counted: with 8 to 24 bytes in a table below 256 for each. */
static void test_size(void **state)
{
	(void)state;
	assert_in_range(sizeof(struct node) + sizeof(struct inode), 1, 128);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steps),    cmocka_unit_test(test_changes),
		cmocka_unit_test(test_prefixes), cmocka_unit_test(test_depth),
		cmocka_unit_test(test_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
