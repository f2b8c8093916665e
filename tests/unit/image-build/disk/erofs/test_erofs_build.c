// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/image-build/disk/erofs/made_erofs.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "image-build/disk/erofs/erofs_build.h"
#include "image-build/disk/erofs/erofs_format.h"
#include "lib/crc32c.h"
#include "lib/le.h"
#include "mount/fs/erofs.h"

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

/* Where an inode stands, from its nid. */
static uint64_t place(const struct made *m, const struct inode *inode)
{
	uint8_t super[EROFS_SUPERBLOCK_SIZE];

	made_read(m, EROFS_SUPERBLOCK_OFFSET, super, sizeof(super));
	return le_get(super + 40, 4) * EROFS_BLOCK + inode->nid * EROFS_SLOT;
}

/* What the kernel asks the superblock for, which readers in user space do not. */
static void check_super(const struct made *m, uint32_t compat, uint32_t incompat)
{
	uint8_t bytes[EROFS_BLOCK - EROFS_SUPERBLOCK_OFFSET];
	uint32_t crc;

	made_read(m, EROFS_SUPERBLOCK_OFFSET, bytes, sizeof(bytes));
	crc = (uint32_t)le_get(bytes + 4, 4);
	le_put(bytes + 4, 4, 0);
	assert_int_equal(crc32c_of(~0U, bytes, sizeof(bytes)), crc);
	assert_int_equal(le_get(bytes + 8, 4), compat);
	assert_int_equal(le_get(bytes + 80, 4), incompat);
}

static unsigned int layout_of(const struct made *m, const char *path)
{
	uint8_t format[2];

	made_read(m, place(m, tree_find(&m->tree, path)->inode), format, sizeof(format));
	return (unsigned int)le_get(format, 2) >> 1;
}

/* Nothing but a root. */
static void test_empty(void **state)
{
	struct erofs_superblock sb;
	uint8_t start[EROFS_BLOCK];
	struct made m;

	(void)state;
	made_open(&m, 0);
	made_build(&m);
	assert_int_equal(m.size, 2 * EROFS_BLOCK);
	made_read(&m, 0, start, sizeof(start));
	assert_int_equal(erofs_superblock_read(start, sizeof(start), &sb), 0);
	assert_int_equal(sb.block_size, EROFS_BLOCK);
	assert_int_equal(sb.blocks, 2);
	assert_int_equal(sb.inodes, 1);
	assert_int_equal(sb.incompat, 0);
	assert_int_equal(sb.uuid[0], 0x10);
	assert_int_equal(m.tree.root->inode->nid, 128);
	check_super(&m, 3, 0);
	made_close(&m);
}

static void test_every_type(void **state)
{
	struct inode *inode;
	char target[4096];
	struct made m;

	(void)state;
	made_open(&m, 0);
	made_at(&m, "d", S_IFDIR | 01777)->mtime_sec = -5;
	made_at(&m, "d/e", S_IFDIR | 0700)->uid = UINT32_MAX - 1;
	made_at(&m, "d/e/fifo", S_IFIFO | 0600)->mtime_nsec = 999999999;
	made_at(&m, "d/socket", S_IFSOCK | 0600)->gid = UINT32_MAX - 1;
	inode = made_at(&m, "char", S_IFCHR | 0666);
	inode->device_major = 4095;
	inode->device_minor = 1048575;
	inode = made_at(&m, "block", S_IFBLK | 0660);
	inode->device_major = 259;
	inode->device_minor = 256;
	made_at(&m, "whiteout", S_IFCHR);
	made_at(&m, "link", S_IFLNK | 0777)->target = strdup("d/e");
	/* As a tail, and as the shortest and the longest that has a block of its own. */
	for (int i = 0; i < 3; i++) {
		int length = (int[]){ 4032, 4033, 4095 }[i];

		memset(target, 'a' + i, (size_t)length);
		target[length] = '\0';
		made_at(&m, (const char *[]){ "l4032", "l4033", "l4095" }[i], S_IFLNK | 0777)
			->target = strdup(target);
	}
	/* Between "." and "..", before "." and behind "..". */
	made_at(&m, "d/.-", S_IFREG | 04755)->mtime_sec = INT64_MIN;
	made_at(&m, "d/!", S_IFREG)->mtime_sec = INT64_MAX;
	made_at(&m, "d/...", S_IFREG | 02000);
	made_at(&m, "d/\xff\n\x01", S_IFREG);
	made_build(&m);
	assert_int_equal(layout_of(&m, "l4032"), EROFS_INLINE);
	assert_int_equal(layout_of(&m, "l4033"), EROFS_PLAIN);
	made_close(&m);
}

/* In both modes, around every size where something changes. */
static void test_sizes(void **state)
{
	static const uint64_t sizes[] = { 0,    1,    2047, 2048, 2049,  4031,  4032,
					  4033, 4095, 4096, 4097, 12288, 12289, 1000000 };
	char path[32];
	struct made m;

	(void)state;
	for (int tails = 0; tails < 2; tails++) {
		made_open(&m, tails ? 4032 : 0);
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
			snprintf(path, sizeof(path), "f%zu", i);
			made_file(&m, path, sizes[i]);
		}
		made_build(&m);
		assert_int_equal(layout_of(&m, "f1"), tails ? EROFS_INLINE : EROFS_PLAIN);
		assert_int_equal(layout_of(&m, "f6"), tails ? EROFS_INLINE : EROFS_PLAIN);
		assert_int_equal(layout_of(&m, "f7"), EROFS_PLAIN);
		assert_int_equal(layout_of(&m, "f9"), EROFS_PLAIN);
		made_close(&m);
	}
}

struct piece {
	uint64_t offset, size;
};

/* Files with holes: how large their chunks become, in blocks. */
static const struct {
	const char *name;
	struct piece pieces[3];
	uint64_t size, chunk_blocks;
} sparse[] = {
	{ "all", { { 0 } }, 4 * GIB + 1, 1 << 18 },
	{ "all-small", { { 0 } }, 1, 1 },
	{ "all-odd", { { 0 } }, 5 * 4096 + 1, 8 },
	{ "begins", { { 0, 1 } }, 4097, 1 },
	{ "ends", { { 64 * KIB, 64 * KIB } }, 128 * KIB, 16 },
	{ "ends-short", { { 64 * KIB, 100 } }, 64 * KIB + 100, 16 },
	{ "middle", { { 32 * KIB, 32 * KIB } }, 96 * KIB + 1, 8 },
	{ "odd", { { 32 * KIB, 1 } }, 96 * KIB, 1 },
	{ "many", { { 0, 1 }, { 64 * MIB, 5000 }, { 99 * MIB, 10 } }, 256 * MIB, 1 },
	{ "even", { { 0, MIB }, { 3 * MIB, MIB } }, 256 * MIB + 7, 1 << 8 },
};

static void test_holes(void **state)
{
	struct made m;

	(void)state;
	made_open(&m, 4032);
	for (size_t i = 0; i < ARRAY_SIZE(sparse); i++) {
		struct inode *inode = made_at(&m, sparse[i].name, S_IFREG | 0644);

		for (size_t n = 0; n < ARRAY_SIZE(sparse[i].pieces); n++)
			if (sparse[i].pieces[n].size)
				made_data(&m, inode, sparse[i].pieces[n].offset,
					  sparse[i].pieces[n].size, (unsigned int)i);
		made_end(&m, inode, sparse[i].size);
	}
	made_build(&m);
	check_super(&m, 3, 4);
	for (size_t i = 0; i < ARRAY_SIZE(sparse); i++) {
		const struct inode *inode = tree_find(&m.tree, sparse[i].name)->inode;
		uint8_t format[2];

		assert_int_equal(layout_of(&m, sparse[i].name), EROFS_CHUNKS);
		made_read(&m, place(&m, inode) + 16, format, 2);
		assert_int_equal(1 << le_get(format, 2), sparse[i].chunk_blocks);
	}
	made_close(&m);
}

/* More names than fit many blocks, all lengths, with other things behind them. */
static void test_directories(void **state)
{
	char name[300];
	struct made m;
	struct node *dir;

	(void)state;
	made_open(&m, 4032);
	made_at(&m, "d", S_IFDIR | 0755);
	dir = tree_find(&m.tree, "d");
	for (int length = 1; length <= 255; length++)
		for (int i = 0; i < 26; i++) {
			memset(name, 'a' + i, (size_t)length);
			name[length] = '\0';
			made_add(&m, dir, name, S_IFREG | 0644);
		}
	made_at(&m, "e", S_IFDIR | 0755);
	made_file(&m, "e/file", 10000);
	/* A directory whose entries fill their block to the last byte, one with one less. */
	for (int i = 0; i < 2; i++) {
		const char *path = i ? "less" : "full";

		made_at(&m, path, S_IFDIR | 0755);
		dir = tree_find(&m.tree, path);
		for (int n = 0; n < 16; n++) {
			memset(name, 'a' + n, 255);
			name[n < 15 ? 255 : 52 - i] = '\0';
			made_add(&m, dir, name, S_IFREG | 0644);
		}
	}
	made_build(&m);
	assert_int_equal(layout_of(&m, "full"), EROFS_PLAIN);
	made_close(&m);
}

static void test_attributes(void **state)
{
	static const char *const names[] = {
		"user.a",
		"user.overlay.opaque",
		"trusted.overlay.opaque",
		"security.capability",
		"system.posix_acl_access",
		"system.posix_acl_default",
	};
	uint8_t value[20000];
	char name[256], path[16];
	struct made m;

	(void)state;
	memset(value, 0xa5, sizeof(value));
	made_open(&m, 4032);
	made_at(&m, "d", S_IFDIR | 0755);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		inode_set_xattr(m.tree.root->inode, names[i], value, i);
		inode_set_xattr(tree_find(&m.tree, "d")->inode, names[i], value, 1000 * i);
	}
	/* Names of every length; a tail behind attributes of about a block. */
	for (size_t length = 1; length <= 250; length++) {
		snprintf(name, sizeof(name), "d/%zu", length);
		made_file(&m, name, 16 * length);
		memset(name, 'n', length + 5);
		memcpy(name, "user.", 5);
		name[length + 5] = '\0';
		snprintf(path, sizeof(path), "d/%zu", length);
		inode_set_xattr(tree_find(&m.tree, path)->inode, name, value, length % 7);
	}
	for (size_t size = 3900; size < 4200; size += 4) {
		snprintf(name, sizeof(name), "d/x%zu", size);
		made_file(&m, name, 4032);
		inode_set_xattr(tree_find(&m.tree, name)->inode, "user.x", value, size);
	}
	made_file(&m, "many", 4032);
	inode_set_xattr(tree_find(&m.tree, "many")->inode, "security.selinux", value, 20000);
	made_at(&m, "link", S_IFLNK | 0777)->target = strdup("d");
	inode_set_xattr(tree_find(&m.tree, "link")->inode, "trusted.x", value, 5000);
	made_build(&m);
	check_super(&m, 7, 0);
	made_close(&m);
}

static void test_hard_links(void **state)
{
	char target[4096] = "";
	struct made m;

	(void)state;
	made_open(&m, 0);
	made_at(&m, "a", S_IFDIR | 0755);
	made_at(&m, "b", S_IFDIR | 0755);
	made_file(&m, "b/file", 5000);
	for (int i = 0; i < 1000; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%d", i);
		node_set_inode(node_add(&m.tree, tree_find(&m.tree, i % 2 ? "a" : "b"), name),
			       tree_find(&m.tree, "b/file")->inode);
	}
	/* Each has a block of its own, and only one, whatever leads to it. */
	memset(target, 't', 4095);
	for (int i = 0; i < 2; i++) {
		struct node *dir = tree_find(&m.tree, i ? "b" : "a");
		struct inode *link = made_add(&m, dir, "long", S_IFLNK | 0777);

		target[0] = (char)('0' + i);
		link->target = strdup(target);
		node_set_inode(node_add(&m.tree, dir, "long-too"), link);
	}
	made_build(&m);
	assert_int_equal(tree_find(&m.tree, "b/file")->inode->number, 3);
	made_close(&m);
}

/* --- what is refused ------------------------------------------------------------ */

static const uint8_t uuid[UUID_SIZE];

static int build_at(const struct tree *t, uint64_t data_blocks, struct err *e)
{
	int fd = memfd_create("image", MFD_CLOEXEC);
	uint64_t size;
	int r;

	assert_true(fd >= 0);
	r = erofs_build(t, fd, data_blocks * EROFS_BLOCK, uuid, &size, e);
	close(fd);
	return r;
}

/* Up to the last block that 32 bits can say, and no further. */
static void test_too_many_blocks(void **state)
{
	struct err e = { .text = "" };
	struct made m;

	(void)state;
	made_open(&m, 0);
	expect_success("last", build_at(&m.tree, UINT32_MAX - 1, &e), &e);
	expect_failure("one more", build_at(&m.tree, UINT32_MAX, &e), &e, FAIL_LIMIT_EXCEEDED,
		       "an erofs of 4294967296 blocks, at most 4294967295");
	expect_failure("contents", build_at(&m.tree, UINT32_MAX + 1ULL, &e), &e,
		       FAIL_LIMIT_EXCEEDED, "contents of 4294967296 blocks");
	expect_failure("none", build_at(&m.tree, 0, &e), &e, FAIL_VALUE_INVALID, "end at byte 0");
	made_close(&m);
}

static void test_misplaced_content(void **state)
{
	struct err e = { .text = "" };
	struct content *c;
	struct made m;

	(void)state;
	made_open(&m, 4032);
	made_file(&m, "f", 10000);
	c = &tree_find(&m.tree, "f")->inode->content;
	expect_success("as it is", build_at(&m.tree, 3, &e), &e);
	expect_failure("behind", build_at(&m.tree, 2, &e), &e, FAIL_VALUE_INVALID,
		       "\"f\": its content is outside of the image's blocks");
	c->block = UINT32_MAX - 1;
	expect_failure("far behind", build_at(&m.tree, 3, &e), &e, FAIL_VALUE_INVALID, "outside");
	c->block = 0;
	expect_failure("superblock", build_at(&m.tree, 3, &e), &e, FAIL_VALUE_INVALID, "outside");
	made_close(&m);
}

static void test_unknown_attribute(void **state)
{
	struct err e = { .text = "" };
	struct made m;

	(void)state;
	made_open(&m, 0);
	made_at(&m, "d", S_IFDIR | 0755);
	made_at(&m, "d/f", S_IFREG | 0644);
	inode_set_xattr(tree_find(&m.tree, "d/f")->inode, "system.posix_acl_accessory", "", 0);
	expect_failure("system", build_at(&m.tree, 1, &e), &e, FAIL_VALUE_INVALID,
		       "\"d/f\": erofs has no place for the attribute");
	inode_remove_xattr(tree_find(&m.tree, "d/f")->inode, "system.posix_acl_accessory");
	inode_set_xattr(tree_find(&m.tree, "d/f")->inode, "btrfs.compression", "", 0);
	expect_failure("btrfs", build_at(&m.tree, 1, &e), &e, FAIL_VALUE_INVALID, "btrfs");
	made_close(&m);
}

static void test_no_room(void **state)
{
	struct err e = { .text = "" };
	struct made m;
	uint64_t size;
	int fd = open("/dev/full", O_RDWR | O_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	made_open(&m, 0);
	expect_failure("full", erofs_build(&m.tree, fd, EROFS_BLOCK, uuid, &size, &e), &e,
		       FAIL_SYSTEM_CALL_FAILED, "write the erofs");
	close(fd);
	made_close(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_every_type),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_holes),
		cmocka_unit_test(test_directories),
		cmocka_unit_test(test_attributes),
		cmocka_unit_test(test_hard_links),
		cmocka_unit_test(test_too_many_blocks),
		cmocka_unit_test(test_misplaced_content),
		cmocka_unit_test(test_unknown_attribute),
		cmocka_unit_test(test_no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
