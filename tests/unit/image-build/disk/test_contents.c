// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image-build/base/store.h"
#include "image-build/disk/contents.h"

#define STORES 3

struct setting {
	struct store stores[STORES];
	struct tree tree;
};

static void begin(struct setting *s, bool tails)
{
	for (size_t i = 0; i < STORES; i++)
		store_open(&s->stores[i], memfd_create("store", MFD_CLOEXEC),
			   tails ? memfd_create("tails", MFD_CLOEXEC) : -1, 1);
	tree_init(&s->tree);
}

static void end(struct setting *s)
{
	tree_free(&s->tree);
	for (size_t i = 0; i < STORES; i++)
		store_close(&s->stores[i]);
}

/* A file of one letter, with a hole of a block where there is room for it. */
static struct inode *add(struct setting *s, size_t store, const char *name, size_t size)
{
	struct inode *inode = inode_new(S_IFREG | 0644);
	struct err e = { .text = "" };
	char *bytes = malloc(size + 1);
	size_t first = size > 12288 ? 4096 : size;

	assert_non_null(bytes);
	memset(bytes, name[0], size);
	inode->size = size;
	expect_success("add", content_add(&inode->content, &s->stores[store], bytes, first, 0, &e),
		       &e);
	if (first < size)
		expect_success("add",
			       content_add(&inode->content, &s->stores[store], bytes, size - 8192,
					   8192, &e),
			       &e);
	expect_success("end", content_end(&inode->content, &s->stores[store], size, 4000, &e), &e);
	free(bytes);
	if (name[1])
		inode_release(inode_hold(inode)); /* read, and replaced by a later entry */
	else
		node_set_inode(node_add(&s->tree, s->tree.root, name), inode);
	return inode;
}

static void check(const struct setting *s, const char *name, size_t store)
{
	const struct inode *inode = tree_find(&s->tree, name)->inode;
	char *bytes = malloc(inode->size + 1);
	struct err e = { .text = "" };

	assert_non_null(bytes);
	assert_ptr_equal(inode->content.store, &s->stores[store]);
	assert_int_equal(content_read(&inode->content, inode->size, bytes, inode->size, 0, &e),
			 inode->size);
	for (size_t i = 0; i < inode->size; i++)
		assert_int_equal(bytes[i],
				 inode->content.map && i >= 4096 && i < 8192 ? 0 : name[0]);
	free(bytes);
}

/* What is replaced leaves no gap, what is elsewhere is fetched, in order. */
static void test_pack(void **state)
{
	(void)state;
	for (int variant = 0; variant < 4; variant++) {
		bool tails = variant & 1, give_back = variant & 2;
		struct err e = { .text = "" };
		struct setting s;
		struct stat st;

		begin(&s, tails);
		add(&s, 0, "a", 5000);
		add(&s, 0, "x gone", 100000);
		add(&s, 0, "b", 30000);
		add(&s, 0, "c", 3 << 20);
		add(&s, 2, "f", 4096);
		add(&s, 2, "y gone", 10000);
		add(&s, 2, "g", 10);
		add(&s, 1, "z gone", 1);
		add(&s, 1, "d", 50000);
		add(&s, 1, "e", (size_t)70 << 20);
		expect_success("flush", store_flush(&s.stores[1], &e), &e);
		expect_success("flush", store_flush(&s.stores[2], &e), &e);
		expect_success("pack", contents_pack(&s.tree, &s.stores[0], give_back, &e), &e);
		for (const char *name = "abcdefg"; *name; name++)
			check(&s, (char[]){ *name, '\0' }, 0);
		/* Blocks follow each other, in the order in which they were read. */
		for (const char *name = "abcdef"; name[1]; name++) {
			const struct inode *i = tree_find(&s.tree, (char[]){ *name, '\0' })->inode;
			const struct inode *j =
				tree_find(&s.tree, (char[]){ name[1], '\0' })->inode;

			assert_int_equal(i->content.block + content_blocks(&i->content, i->size),
					 j->content.block);
		}
		assert_int_equal(tree_find(&s.tree, "a")->inode->content.block, 1);
		assert_int_equal(fstat(s.stores[1].data.fd, &st), 0);
		if (give_back)
			assert_true(st.st_blocks * 512 < 10 << 20);
		else
			assert_true(st.st_blocks * 512 > 60 << 20);
		end(&s);
	}
}

/* Two files that share their bytes share them afterwards. */
static void test_shared(void **state)
{
	struct err e = { .text = "" };
	struct inode *a, *b;
	struct setting s;

	(void)state;
	begin(&s, true);
	add(&s, 0, "x gone", 5000);
	a = add(&s, 0, "a", 9000);
	b = inode_new(S_IFREG | 0600);
	b->size = a->size;
	b->content = content_copy(&a->content);
	node_set_inode(node_add(&s.tree, s.tree.root, "b"), b);
	expect_success("pack", contents_pack(&s.tree, &s.stores[0], true, &e), &e);
	assert_int_equal(a->content.block, 1);
	assert_int_equal(b->content.block, 1);
	assert_int_equal(b->content.tail, a->content.tail);
	assert_int_equal(s.stores[0].blocks, 3);
	check(&s, "a", 0);
	end(&s);
}

/* Nothing is written where nothing has to be: the file may be read-only. */
static void test_packed(void **state)
{
	struct err e = { .text = "" };
	struct setting s;
	char path[32];
	int fd;

	(void)state;
	begin(&s, false);
	add(&s, 0, "a", 5000);
	add(&s, 0, "b", 3);
	expect_success("flush", store_flush(&s.stores[0], &e), &e);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", s.stores[0].data.fd);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	close(s.stores[0].data.fd);
	s.stores[0].data.fd = fd;
	expect_success("pack", contents_pack(&s.tree, &s.stores[0], true, &e), &e);
	/* But where something has to, a failure is told. */
	node_remove(&s.tree, tree_find(&s.tree, "a"));
	assert_true(contents_pack(&s.tree, &s.stores[0], true, &e) < 0);
	assert_non_null(strstr(e.text, "move the contents"));
	end(&s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pack),
		cmocka_unit_test(test_shared),
		cmocka_unit_test(test_packed),
	};

	return cmocka_run_group_tests_name("contents", tests, NULL, NULL);
}
