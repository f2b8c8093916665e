// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "image-build/base/limits.h"
#include "image-build/tree/change_log.h"

#define MANY 40000 /* more than a block of the log holds */

/* Paths that share a beginning with the one before, all of it, nothing, or are as long as can be.
 */
static void make_path(char path[LIMIT_PATH + 1], size_t i)
{
	size_t size = i % 997 ? 0 : LIMIT_PATH - 20;

	memset(path, 'a' + (int)(i % 3), size);
	path[size] = '\0';
	if (i % 5)
		snprintf(path + size, 20, "d%zu/f%zu", i % 7, i % MANY);
}

static void make_target(char target[LIMIT_PATH + 1], size_t i)
{
	size_t size = i % 1009 ? i % 30 : LIMIT_PATH;

	memset(target, 't', size);
	target[size] = '\0';
}

static void fill(struct change_log *log, struct inode *inode)
{
	char path[LIMIT_PATH + 1], target[LIMIT_PATH + 1];

	for (size_t i = 0; i < MANY; i++) {
		bool link = i % 2;

		make_path(path, i);
		make_target(target, i);
		change_log_add(log, &(struct change){
					    link ? CHANGE_LINK : CHANGE_INODE,
					    path,
					    link ? NULL : inode_hold(inode),
					    link ? target : "",
				    });
	}
}

static void test_order(void **state)
{
	struct inode *inode auto_inode = inode_hold(inode_new(S_IFREG | 0644));
	static struct change_log log;
	char path[LIMIT_PATH + 1], target[LIMIT_PATH + 1];
	struct change c;

	(void)state;
	fill(&log, inode);
	assert_int_equal(log.count, MANY);
	for (size_t i = 0; i < MANY; i++) {
		assert_true(change_log_take(&log, &c));
		make_path(path, i);
		make_target(target, i);
		assert_string_equal(c.path, path);
		assert_string_equal(c.target, i % 2 ? target : "");
		assert_int_equal(c.kind, i % 2 ? CHANGE_LINK : CHANGE_INODE);
		assert_ptr_equal(c.inode, i % 2 ? NULL : inode);
		inode_release(c.inode);
	}
	assert_false(change_log_take(&log, &c));
	assert_null(log.first);
	assert_int_equal(inode->names, 1);
}

/* What nobody took is let go. */
static void test_left(void **state)
{
	struct inode *inode auto_inode = inode_hold(inode_new(S_IFREG | 0644));
	static struct change_log log;
	struct change c;

	(void)state;
	change_log_free(&log);
	fill(&log, inode);
	for (size_t i = 0; i < 10; i++) {
		assert_true(change_log_take(&log, &c));
		inode_release(c.inode);
	}
	change_log_free(&log);
	assert_null(log.first);
	assert_int_equal(inode->names, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
