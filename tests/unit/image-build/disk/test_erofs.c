// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "image-build/tree/layer_read.h"
#include "image-build/disk/erofs_image.h"
#include "image-build/disk/built_image.h"
#include "image-build/base/jobs.h"
#include "image-build/tree/whiteouts.h"
#include "image-build/tree/resolve.h"
#include "image-build/tree/tar_write.h"
#include "image-build/disk/hash_tree.h"
#include "lib/io.h"
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

struct shared {
	struct built_image image;
	int result;
	struct err e;
};

/* liberofs has one image in a process: each call in a child. */
static int in_child(void (*call)(const struct tree *t, const char *path, struct shared *s),
		    const struct tree *t, const char *path, struct shared *s)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		call(t, path, s);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	return s->result;
}

static void call_make(const struct tree *t, const char *path, struct shared *s)
{
	static const struct salt_choice salt = { .kind = SALT_CONTENT };

	s->result = image_make(t, path, &salt, &s->image, NULL, &s->e);
}

static void call_check(const struct tree *t, const char *path, struct shared *s)
{
	s->result = erofs_check(t, path, &s->e);
}

static void make(const struct temp *temp, const char *name, const struct tree *t, char path[96],
		 struct shared *s)
{
	put_text(temp->fd, name, "");
	snprintf(path, 96, "%s/%s", temp->path, name);
	expect_success(name, in_child(call_make, t, path, s), &s->e);
}

static void test_image(void **state)
{
	struct shared *s = jobs_shared(sizeof(*s)), *again = jobs_shared(sizeof(*again));
	struct err e = { .text = "" };
	struct digest content;
	struct layer l, same;
	struct temp temp;
	char path[96], other[96];
	int fd;

	(void)state;
	temp_make(&temp);
	read_everything(&l);
	make(&temp, "one", &l.tree, path, s);
	assert_int_equal(s->image.size % 4096, 0);
	/* The salt is the erofs' own digest, and the tree is whole. */
	fd = open(path, O_RDWR | O_CLOEXEC);
	expect_success("digest",
		       digest_file(fd, s->image.verity.data_blocks * 4096, path, &content, &e), &e);
	assert_int_equal(s->image.verity.salt_size, 32);
	assert_memory_equal(s->image.verity.salt, content.bytes, 32);
	expect_success("verity",
		       verity_check(&(struct slice){ fd, 0, s->image.size }, &s->image.verity, &e),
		       &e);
	close(fd);
	/* Once more from the beginning, elsewhere: the same bytes. */
	read_everything(&same);
	make(&temp, "two", &same.tree, other, again);
	assert_true(digest_equal(&s->image.digest, &again->image.digest));
	assert_string_equal(s->image.serial, again->image.serial);
	layer_free(&l);
	layer_free(&same);
	temp_remove(&temp);
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
	char byte = 'X';

	assert_int_equal(pwrite(l->store.data.fd, &byte, 1, 0), 1);
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
	{ change_content, "its content" },
	{ remove_name, "\"d/e/f\": unknown" },
	{ add_xattr, "\"empty\"" },
	{ lose_xattr, "\"setuid\"" },
	{ add_name, "\"d\": entries are missing" },
	{ tear_link, "its number of links" },
};

/* Nothing that was lost on the way stays unnoticed. */
static void test_check_notices(void **state)
{
	struct shared *s = jobs_shared(sizeof(*s));
	struct layer l;
	struct temp temp;
	char path[96];

	(void)state;
	temp_make(&temp);
	read_everything(&l);
	make(&temp, "image", &l.tree, path, s);
	expect_success("unchanged", in_child(call_check, &l.tree, path, s), &s->e);
	layer_free(&l);
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		read_everything(&l);
		changes[i].change(&l);
		in_child(call_check, &l.tree, path, s);
		expect_failure(changes[i].words, s->result, &s->e, FAIL_VALUE_INVALID,
			       changes[i].words);
		layer_free(&l);
	}
	temp_remove(&temp);
}

/* Two pairs of hard links in place of two others: same contents, same counts. */
static void test_check_notices_crossed_links(void **state)
{
	static const struct member pairs[] = {
		{ .name = "a" },  { .name = "b", .type = '1', .link = "a" },
		{ .name = "c" },  { .name = "d", .type = '1', .link = "c" },
		{ .name = NULL },
	};
	struct shared *s = jobs_shared(sizeof(*s));
	struct err e = { .text = "" };
	struct layer l;
	struct temp temp;
	char path[96];
	struct node *b, *c;
	struct inode *of_a;

	(void)state;
	temp_make(&temp);
	expect_success("read", read_members(&l, pairs, &e), &e);
	make(&temp, "image", &l.tree, path, s);
	b = tree_find(&l.tree, "b");
	c = tree_find(&l.tree, "c");
	of_a = b->inode;
	node_set_inode(b, c->inode);
	node_set_inode(c, of_a);
	in_child(call_check, &l.tree, path, s);
	expect_failure("crossed", s->result, &s->e, FAIL_VALUE_INVALID, "a hard link is broken");
	layer_free(&l);
	temp_remove(&temp);
}

/* The canonical tar, read again, is the same tree, and its tar has the same digest. */
static void test_canonical_tar(void **state)
{
	struct err e = { .text = "" };
	struct digest one, two;
	struct layer l, again;
	struct blob_digests digests;
	struct blob blob;
	char *before, *after;
	int fd = memfd_create("tar", MFD_CLOEXEC);

	(void)state;
	read_everything(&l);
	/* A device 0:0 is read from no tar. */
	node_remove(&l.tree, tree_find(&l.tree, "d/gone"));
	before = tree_text(&l.tree);
	expect_success("write", tar_write(&l.tree, fd, &one, NULL, &e), &e);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	layer_init(&again);
	store_open(&again.store, memfd_create("store", MFD_CLOEXEC), -1, 0);
	expect_success("open", blob_open(&blob, fd, COMPRESSION_NONE, "sha256", "sha256", NULL, &e),
		       &e);
	expect_success("read", layer_read(&again, &blob, &e), &e);
	expect_success("finish", blob_finish(&blob, &digests, &e), &e);
	assert_true(digest_equal(&one, &digests.stored));
	assert_true(digest_equal(&one, &digests.plain));
	blob_close(&blob);
	expect_success("resolve", resolve_layer(&again, 0, &e), &e);
	/* Opaque marks come back as what they were made from; what marks whiteouts does not. */
	inode_set_xattr(tree_find(&again.tree, "d")->inode, "trusted.overlay.origin", "", 0);
	overlay_encode(&again.tree);
	after = tree_text(&again.tree);
	assert_string_equal(before, after);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	expect_success("write", tar_write(&again.tree, fd, &two, NULL, &e), &e);
	assert_true(digest_equal(&one, &two));
	free(before);
	free(after);
	close(fd);
	layer_free(&l);
	layer_free(&again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_image),
		cmocka_unit_test(test_check_notices),
		cmocka_unit_test(test_check_notices_crossed_links),
		cmocka_unit_test(test_canonical_tar),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
