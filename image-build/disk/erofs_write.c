// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/disk/erofs_image.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <erofs/cache.h>
#include <erofs/config.h>
#include <erofs/diskbuf.h>
#include <erofs/inode.h>
#include <erofs/print.h>
#include <erofs/rebuild.h>
#include <erofs/tar.h>
#include <erofs/xattr.h>

#include "image-build/base/refuse.h"
#include "image-build/tree/tar_write.h"

/* The globals of liberofs. */
extern struct erofs_sb_info g_sbi;

/* The canonical tar goes through a pipe: a thread writes, the library reads. */
struct pipe_writer {
	const struct tree *tree;
	int fd;
	struct digest digest;
	_Atomic uint64_t *progress;
	int result;
	struct err e;
};

static void *write_into_pipe(void *context)
{
	struct pipe_writer *w = context;

	w->result = tar_write(w->tree, w->fd, &w->digest, w->progress, &w->e);
	close(w->fd);
	return NULL;
}

static void configure(void)
{
	erofs_init_configure();
	cfg.c_dbg_lvl = EROFS_ERR;
	cfg.c_showprogress = false;
	cfg.c_inline_data = true;
	cfg.c_xattr_name_filter = true;
	g_sbi.blkszbits = 12;
	cfg.c_mkfs_pclustersize_max = EROFS_BLOCK_BYTES;
	cfg.c_mkfs_pclustersize_def = EROFS_BLOCK_BYTES;
	g_sbi.feature_incompat = EROFS_FEATURE_INCOMPAT_ZERO_PADDING;
	g_sbi.feature_compat = EROFS_FEATURE_COMPAT_SB_CHKSUM | EROFS_FEATURE_COMPAT_MTIME;
	g_sbi.build_time = 0;
	g_sbi.build_time_nsec = 0;
}

/* Read the whole tar from the pipe into the library's own tree. */
static int parse_tar(struct erofs_inode *root, int fd)
{
	struct erofs_tarfile tar = { .aufs = false };
	int r;

	init_list_head(&tar.global.xattrs);
	r = erofs_iostream_open(&tar.ios, fd, EROFS_IOS_DECODER_NONE);
	if (r) {
		close(fd);
		return r;
	}
	do {
		r = tarerofs_parse_tar(root, &tar);
	} while (!r);
	/* What is left in the pipe is the writer's to finish: the two end blocks. */
	erofs_iostream_close(&tar.ios);
	return r < 0 ? r : 0;
}

static int write_superblock(struct erofs_buffer_head *sb_bh)
{
	erofs_blk_t blocks = 0;
	u32 crc;
	int r;

	r = erofs_writesb(&g_sbi, sb_bh, &blocks);
	if (!r)
		r = erofs_bflush(g_sbi.bmgr, NULL);
	if (!r)
		r = erofs_dev_resize(&g_sbi, blocks);
	if (!r)
		r = erofs_enable_sb_chksum(&g_sbi, &crc);
	return r;
}

/* Parse what comes out of the pipe, and write all but the superblock. */
static int write_body(int fd, struct erofs_buffer_head **ret_sb)
{
	struct erofs_inode *root;
	int r;

	g_sbi.bmgr = erofs_buffer_init(&g_sbi, 0);
	if (!g_sbi.bmgr)
		return -ENOMEM;
	*ret_sb = erofs_reserve_sb(g_sbi.bmgr);
	if (IS_ERR(*ret_sb))
		return (int)PTR_ERR(*ret_sb);
	r = erofs_diskbuf_init(1);
	if (r)
		return r;
	erofs_inode_manager_init();
	root = erofs_rebuild_make_root(&g_sbi);
	if (IS_ERR(root))
		return (int)PTR_ERR(root);
	r = parse_tar(root, fd);
	if (!r)
		r = erofs_rebuild_dump_tree(root, false);
	if (!r)
		r = erofs_bflush(g_sbi.bmgr, NULL);
	if (!r)
		r = erofs_fixup_root_inode(root);
	erofs_iput(root);
	return r;
}

static int start_writer(struct pipe_writer *w, pthread_t *thread, int *ret_fd, struct err *e)
{
	int fds[2], r;

	if (pipe2(fds, O_CLOEXEC))
		return system_failed(e, "create a pipe");
	w->fd = fds[1];
	*ret_fd = fds[0];
	r = pthread_create(thread, NULL, write_into_pipe, w);
	if (!r)
		return 0;
	close(fds[0]);
	close(fds[1]);
	return system_result(e, -r, "start a thread");
}

int erofs_write(const struct tree *t, const char *path, uint8_t ret_uuid[UUID_SIZE],
		_Atomic uint64_t *progress, struct err *e)
{
	struct pipe_writer w = { .tree = t, .progress = progress };
	struct erofs_buffer_head *sb_bh = NULL;
	pthread_t thread;
	int r, fd = -1;

	signal(SIGPIPE, SIG_IGN);
	configure();
	r = erofs_dev_open(&g_sbi, path, O_RDWR | O_TRUNC);
	if (r)
		return system_result(e, r, "open %s", path);
	r = start_writer(&w, &thread, &fd, e);
	if (r)
		return r;
	r = write_body(fd, &sb_bh);
	pthread_join(thread, NULL);
	if (w.result && w.result != -EPIPE) {
		*e = w.e;
		return w.result;
	}
	if (!r)
		r = w.result;
	if (!r) {
		uuid_from_digest("socle erofs", &w.digest, ret_uuid);
		memcpy(g_sbi.uuid, ret_uuid, UUID_SIZE);
		r = write_superblock(sb_bh);
	}
	erofs_diskbuf_exit();
	erofs_dev_close(&g_sbi);
	if (r)
		return system_result(e, r, "liberofs cannot write the image");
	return 0;
}
