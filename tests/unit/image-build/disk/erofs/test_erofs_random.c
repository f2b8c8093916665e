// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/image-build/disk/erofs/made_erofs.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image-build/base/digest.h"
#include "image-build/base/limits.h"

#define TREES     12
#define NODES_MAX 2000

/* The same numbers in each run. */
static uint32_t random_state;

static uint32_t below(uint32_t end)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 8) % end;
}

/* Small ones more often. */
static uint32_t skewed(uint32_t end)
{
	return below(below(end) + 1);
}

static void random_name(char name[LIMIT_NAME + 1])
{
	size_t length = 1 + skewed(below(4) ? 20 : LIMIT_NAME);

	for (size_t i = 0; i < length; i++)
		do
			name[i] = (char)(below(3) ? 'a' + below(4) : 1 + below(255));
		while (name[i] == '/');
	name[length] = '\0';
	if (!strcmp(name, ".") || !strcmp(name, ".."))
		name[0] = '-';
}

static void random_attributes(struct inode *inode)
{
	static const char *const prefixes[] = { "user.", "trusted.", "security." };
	uint8_t value[5000];
	char name[280];

	inode->uid = below(2) ? below(1000) : UINT32_MAX - 1 - below(3);
	inode->gid = below(2) ? 0 : below(1 << 24);
	inode->mtime_sec = (int64_t)below(1 << 24) * 1000 - (below(4) ? 0 : INT64_C(99999999999));
	inode->mtime_nsec = below(2) ? 0 : below(1 << 24);
	for (uint32_t count = below(8) ? 0 : below(5); count; count--) {
		char rest[LIMIT_NAME + 1];
		size_t size = skewed(sizeof(value));

		memset(value, (int)below(256), size);
		random_name(rest);
		snprintf(name, sizeof(name), "%s%.*s", prefixes[below(3)], 240, rest);
		inode_set_xattr(inode, name, value, size);
	}
}

static void random_content(struct made *m, struct inode *inode)
{
	uint64_t at = 0, size;
	unsigned int seed = below(1000);

	if (below(8)) {
		size = skewed(below(4) ? 6000 : 200000);
		made_data(m, inode, 0, size, seed);
	} else {
		for (uint32_t pieces = below(5); pieces; pieces--) {
			at += (uint64_t)skewed(50) * (below(2) ? 4096 : 65536) + below(3);
			size = skewed(100000);
			made_data(m, inode, at, size, seed);
			at += size;
		}
		size = at + skewed(300000);
	}
	made_end(m, inode, size);
}

static void random_inode(struct made *m, struct inode *inode)
{
	if (S_ISREG(inode->mode))
		random_content(m, inode);
	if (S_ISLNK(inode->mode)) {
		size_t length = 1 + skewed(LIMIT_LINK_TARGET);

		inode->target = calloc(1, length + 1);
		assert_non_null(inode->target);
		memset(inode->target, 't', length);
	}
	if (S_ISCHR(inode->mode) || S_ISBLK(inode->mode)) {
		inode->device_major = below(LIMIT_DEVICE_MAJOR + 1);
		inode->device_minor = below(LIMIT_DEVICE_MINOR + 1);
	}
}

static void random_tree(struct made *m, uint32_t seed)
{
	static const mode_t types[] = { S_IFREG, S_IFREG, S_IFREG, S_IFREG, S_IFDIR, S_IFDIR,
					S_IFLNK, S_IFCHR, S_IFBLK, S_IFIFO, S_IFSOCK };
	struct node *dirs[NODES_MAX] = { m->tree.root };
	struct inode *files[NODES_MAX];
	size_t dir_count = 1, file_count = 0, nodes;

	random_state = seed;
	random_attributes(m->tree.root->inode);
	nodes = skewed(NODES_MAX);
	for (size_t i = 0; i < nodes; i++) {
		/* Some directories have nearly everything, some nothing. */
		struct node *dir = dirs[below(2) ? skewed((uint32_t)dir_count) : dir_count - 1];
		char name[LIMIT_NAME + 1];
		struct inode *inode;

		random_name(name);
		if (node_child(dir, name))
			continue;
		if (file_count && !below(10)) {
			node_set_inode(node_add(&m->tree, dir, name),
				       files[below((uint32_t)file_count)]);
			continue;
		}
		inode = made_add(m, dir, name, types[below(ARRAY_SIZE(types))] | below(010000));
		random_attributes(inode);
		random_inode(m, inode);
		if (S_ISDIR(inode->mode))
			dirs[dir_count++] = node_child(dir, name);
		else
			files[file_count++] = inode;
	}
}

static void build(uint32_t seed, size_t tail_max, struct digest *ret)
{
	struct err e = { .text = "" };
	struct made m;

	made_open(&m, tail_max);
	random_tree(&m, seed);
	made_build(&m);
	expect_success("digest", digest_file(m.store.data.fd, m.size, m.path, ret, &e), &e);
	made_close(&m);
}

/* Whatever a tree has, readers find the same, and building it again gives the same bytes. */
static void test_random_trees(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= TREES; seed++) {
		struct digest one, two;
		size_t tail_max = seed % 3 * 2016;

		build(seed, tail_max, &one);
		build(seed, tail_max, &two);
		assert_true(digest_equal(&one, &two));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_trees),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
