// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <stdio.h>
#include <unistd.h>

#include "image-build/disk/erofs_image.h"
#include "image-build/disk/built_image.h"
#include "image-build/disk/contents.h"
#include "image-build/tree/whiteouts.h"
#include "image-build/tree/resolve.h"
#include "image-build/disk/hash_tree.h"
#include "tests/unit/image-build/image_tar.h"

/* A bit of everything; the root has no entry. */
static const struct member everything[] = {
	{ .name = "big", .data = NULL }, /* its content comes from test code */
	{ .name = "d/.wh.gone" },
	{ .name = "d/link", .type = '1', .link = "d/file" },
	{ .name = "d/e/f/g", .data = "deep", .mtime = 77 },
	{ .name = "dev", .type = '3', .major = 4095, .minor = 1048575 },
	{ .name = "empty" },
	{ .name = "fifo", .type = '6', .mode = 0600 },
	{ .name = "o/.wh..wh..opq", .data = "x" },
	{ .name = "cafe\xcc\x81\xff", .data = "name" },
	{ .name = "setuid",
	  .data = "s",
	  .mode = 06755,
	  .uid = 99999,
	  .xattr = "user.key-of-ten=v" },
	{ .name = "sym", .type = '2', .link = "d/file" },
	{ .name = NULL },
};

static const struct member first[] = { { .name = "d/file", .data = "content" }, { .name = NULL } };

static void read_everything(struct layer *l)
{
	struct bytes b = { .at = NULL };
	struct err e = { .text = "" };
	struct inode *big;
	char block[5000];

	tar_add(&b, first);
	tar_add(&b, everything);
	tar_end(&b, 2);
	expect_success("read", read_tar(l, &b, &e), &e);
	bytes_free(&b);
	/* More than a block, not a whole number of them, with a hole in the middle. */
	memset(block, 'b', sizeof(block));
	big = tree_find(&l->tree, "big")->inode;
	assert_int_equal(content_add(&big->content, &l->store, block, sizeof(block), 0, &e), 0);
	assert_int_equal(content_add(&big->content, &l->store, block, sizeof(block), 300000, &e),
			 0);
	big->size = 305000;
	assert_int_equal(content_end(&big->content, &l->store, big->size, 0, &e), 0);
	assert_int_equal(store_flush(&l->store, &e), 0);
	/* Five nanoseconds, not half a second. */
	tree_find(&l->tree, "d/e/f/g")->inode->mtime_nsec = 5;
	overlay_encode(&l->tree);
}

/* The file of a layer's store, from outside. */
static void path_of(const struct layer *l, char path[32])
{
	snprintf(path, 32, "/proc/self/fd/%d", l->store.data.fd);
}

static void make(struct layer *l, struct built_image *ret)
{
	static const struct salt_choice salt = { .kind = SALT_CONTENT };
	const struct digest source = { "sha256", 32, { 1, 2, 3 } };
	struct err e = { .text = "" };
	_Atomic uint64_t done = 0;
	char path[32];
	struct image_making m = {
		.tree = &l->tree, .store = &l->store, .path = path, .label = "", .source = &source
	};

	path_of(l, path);
	expect_success("pack", contents_pack(&l->tree, &l->store, false, &e), &e);
	expect_success("make", images_make(&m, 1, &salt, &done, NULL, &e), &e);
	*ret = m.image;
}

static void test_image(void **state)
{
	struct built_image image, again;
	struct err e = { .text = "" };
	struct layer l, same;

	(void)state;
	read_everything(&l);
	make(&l, &image);
	assert_int_equal(image.size % 4096, 0);
	assert_int_equal(lseek(l.store.data.fd, 0, SEEK_END), image.size);
	/* The salt is the source's digest, and the tree is whole. */
	assert_int_equal(image.verity.salt_size, 32);
	assert_memory_equal(image.verity.salt, "\1\2\3\0", 4);
	expect_success("verity",
		       verity_check(&(struct slice){ l.store.data.fd, 0, image.size },
				    &image.verity, &e),
		       &e);
	/* Once more from the beginning, elsewhere: the same bytes. */
	read_everything(&same);
	make(&same, &again);
	assert_int_equal(image.size, again.size);
	assert_memory_equal(image.verity.root_hash, again.verity.root_hash, 32);
	assert_string_equal(image.serial, again.serial);
	layer_free(&l);
	layer_free(&same);
}

/* What the check after writing must find: each change makes tree and image differ. */
static void change_mode(struct layer *l)
{
	tree_find(&l->tree, "empty")->inode->mode ^= 1;
}
static void change_owner(struct layer *l)
{
	tree_find(&l->tree, "setuid")->inode->uid++;
}
static void change_time(struct layer *l)
{
	tree_find(&l->tree, "d/e/f/g")->inode->mtime_sec++;
}
static void change_nsec(struct layer *l)
{
	tree_find(&l->tree, "d/e/f/g")->inode->mtime_nsec++;
}
static void change_size(struct layer *l)
{
	tree_find(&l->tree, "big")->inode->size++;
}
static void change_device(struct layer *l)
{
	tree_find(&l->tree, "dev")->inode->device_minor--;
}
static void change_target(struct layer *l)
{
	tree_find(&l->tree, "sym")->inode->target[0]++;
}
static void change_value(struct layer *l)
{
	tree_find(&l->tree, "setuid")->inode->xattrs[0].value[0]++;
}
static void remove_name(struct layer *l)
{
	node_remove(&l->tree, tree_find(&l->tree, "d/e/f/g"));
}

static void change_content(struct layer *l)
{
	tree_find(&l->tree, "big")->inode->content.crc++;
}

/* Of a file with holes, where they are. */
static void move_hole(struct layer *l)
{
	struct content_map *map = tree_find(&l->tree, "big")->inode->content.map;

	assert_int_equal(map->count, 2);
	map->runs[0].count = 1;
}

static void add_xattr(struct layer *l)
{
	inode_set_xattr(tree_find(&l->tree, "empty")->inode, "user.more", "v", 1);
}

static void lose_xattr(struct layer *l)
{
	inode_remove_xattr(tree_find(&l->tree, "setuid")->inode, "user.key-of-ten");
}

static void add_name(struct layer *l)
{
	node_set_inode(node_add(&l->tree, tree_find(&l->tree, "d"), "more"),
		       inode_new(S_IFREG | 0644));
}

static void tear_link(struct layer *l)
{
	struct node *link = tree_find(&l->tree, "d/link");
	struct inode *copy = inode_new(link->inode->mode);

	copy->size = link->inode->size;
	copy->content = content_copy(&link->inode->content);
	node_set_inode(link, copy);
}

static const struct {
	void (*change)(struct layer *l);
	const char *words;
} changes[] = {
	{ change_mode, "\"empty\": its mode" },
	{ change_owner, "\"setuid\": its owner" },
	{ change_time, "\"d/e/f/g\": its time" },
	{ change_nsec, "\"d/e/f/g\": its time" },
	{ change_size, "\"big\": its size" },
	{ change_device, "\"dev\": its device" },
	{ change_target, "\"sym\": its target" },
	{ change_value, "\"setuid\": user.key-of-ten" },
	{ change_content, "\"big\": its content" },
	{ move_hole, "\"big\": its content" },
	{ remove_name, "\"d/e/f\": unknown" },
	{ add_xattr, "\"empty\"" },
	{ lose_xattr, "\"setuid\"" },
	{ add_name, "\"d\": entries are missing" },
	{ tear_link, "its number of links" },
};

/* Nothing that was lost on the way stays unnoticed. */
static void test_check_notices(void **state)
{
	struct err e = { .text = "" };
	struct built_image image;
	struct layer written, l;
	char path[32];

	(void)state;
	read_everything(&written);
	make(&written, &image);
	path_of(&written, path);
	expect_success("unchanged", erofs_check(&written.tree, path, &e), &e);
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		read_everything(&l);
		changes[i].change(&l);
		expect_failure(changes[i].words, erofs_check(&l.tree, path, &e), &e,
			       FAIL_VALUE_INVALID, changes[i].words);
		layer_free(&l);
	}
	layer_free(&written);
}

/* A byte of a file's content that turned on the disk. */
static void test_check_notices_bytes(void **state)
{
	struct err e = { .text = "" };
	struct built_image image;
	struct layer l;
	char path[32];

	(void)state;
	read_everything(&l);
	make(&l, &image);
	path_of(&l, path);
	for (uint32_t block = l.store.first_block; block < l.store.blocks; block++) {
		uint8_t byte;

		assert_int_equal(pread(l.store.data.fd, &byte, 1, block * 4096), 1);
		byte ^= 1;
		assert_int_equal(pwrite(l.store.data.fd, &byte, 1, block * 4096), 1);
		expect_failure("byte", erofs_check(&l.tree, path, &e), &e, FAIL_VALUE_INVALID,
			       "its content");
		byte ^= 1;
		assert_int_equal(pwrite(l.store.data.fd, &byte, 1, block * 4096), 1);
	}
	expect_success("whole again", erofs_check(&l.tree, path, &e), &e);
	layer_free(&l);
}

/* Two pairs of hard links in place of two others: same contents, same counts. */
static void test_check_notices_crossed_links(void **state)
{
	static const struct member pairs[] = {
		{ .name = "a" },  { .name = "b", .type = '1', .link = "a" },
		{ .name = "c" },  { .name = "d", .type = '1', .link = "c" },
		{ .name = NULL },
	};
	struct err e = { .text = "" };
	struct built_image image;
	struct layer l;
	char path[32];
	struct node *b, *c;
	struct inode *of_a;

	(void)state;
	expect_success("read", read_members(&l, pairs, &e), &e);
	make(&l, &image);
	path_of(&l, path);
	b = tree_find(&l.tree, "b");
	c = tree_find(&l.tree, "c");
	of_a = b->inode;
	node_set_inode(b, c->inode);
	node_set_inode(c, of_a);
	expect_failure("crossed", erofs_check(&l.tree, path, &e), &e, FAIL_VALUE_INVALID,
		       "a hard link is broken");
	layer_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_image),
		cmocka_unit_test(test_check_notices),
		cmocka_unit_test(test_check_notices_bytes),
		cmocka_unit_test(test_check_notices_crossed_links),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
