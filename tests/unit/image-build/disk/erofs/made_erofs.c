// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/image-build/disk/erofs/made_erofs.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "image-build/base/jobs.h"
#include "image-build/disk/erofs/erofs_build.h"
#include "image-build/disk/erofs_image.h"
#include "lib/io.h"

static const uint8_t uuid[UUID_SIZE] = { 0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0x4c, 0xfe,
					 0x80, 1,    2,    3,    4,    5,    6,    7 };

void made_open(struct made *m, size_t tail_max)
{
	int fd;

	*m = (struct made){ .tail_max = tail_max };
	temp_make(&m->temp);
	snprintf(m->path, sizeof(m->path), "%s/image", m->temp.path);
	fd = open(m->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	store_open(&m->store, fd, tail_max ? memfd_create("tails", MFD_CLOEXEC) : -1, 1);
	tree_init(&m->tree);
}

void made_close(struct made *m)
{
	tree_free(&m->tree);
	store_close(&m->store);
	temp_remove(&m->temp);
}

struct inode *made_add(struct made *m, struct node *dir, const char *name, mode_t mode)
{
	struct inode *inode = inode_new(mode);

	node_set_inode(node_add(&m->tree, dir, name), inode);
	return inode;
}

struct inode *made_at(struct made *m, const char *path, mode_t mode)
{
	const char *slash = strrchr(path, '/');
	char dir[4096] = "";

	if (slash)
		snprintf(dir, sizeof(dir), "%.*s", (int)(slash - path), path);
	return made_add(m, tree_find(&m->tree, dir), slash ? slash + 1 : path, mode);
}

void made_data(struct made *m, struct inode *inode, uint64_t offset, size_t size, unsigned int seed)
{
	uint8_t *bytes = malloc(size + 1);
	struct err e = { .text = "" };

	assert_non_null(bytes);
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(1 + (seed + (offset + i) * 7 + (offset + i) / 4096) % 251);
	expect_success("add", content_add(&inode->content, &m->store, bytes, size, offset, &e), &e);
	free(bytes);
}

void made_end(struct made *m, struct inode *inode, uint64_t size)
{
	struct err e = { .text = "" };

	inode->size = size;
	expect_success("end", content_end(&inode->content, &m->store, size, m->tail_max, &e), &e);
}

void made_file(struct made *m, const char *path, uint64_t size)
{
	struct inode *inode = made_at(m, path, S_IFREG | 0644);

	made_data(m, inode, 0, size, (unsigned int)size);
	made_end(m, inode, size);
}

struct result {
	int r;
	struct err e;
};

static void let_liberofs_read(const struct made *m)
{
	struct result *result = jobs_shared(sizeof(*result));
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		result->r = erofs_check(&m->tree, m->path, &result->e);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	expect_success("liberofs", result->r, &result->e);
	munmap(result, sizeof(*result));
}

static void let_fsck_read(const struct made *m)
{
	char command[256];

	snprintf(command, sizeof(command), "fsck.erofs -d1 --extract %s >%s/fsck.log 2>&1", m->path,
		 m->temp.path);
	if (system(command)) {
		snprintf(command, sizeof(command), "cat %s/fsck.log", m->temp.path);
		(void)!system(command);
		fail_msg("fsck.erofs does not like the image");
	}
}

void made_build(struct made *m)
{
	uint64_t data_end = (uint64_t)m->store.blocks * CONTENT_BLOCK;
	struct err e = { .text = "" };

	expect_success("flush", store_flush(&m->store, &e), &e);
	expect_success("build",
		       erofs_build(&m->tree, m->store.data.fd, data_end, uuid, &m->size, &e), &e);
	assert_int_equal(lseek(m->store.data.fd, 0, SEEK_END), m->size);
	let_liberofs_read(m);
	let_fsck_read(m);
}

void made_read(const struct made *m, uint64_t at, void *buf, size_t size)
{
	assert_int_equal(io_pread(m->store.data.fd, buf, size, at), size);
}
