// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * The initramfs must be whole before anything in it is believed. The host gives the
 * guest its memory, and where that is too little the kernel starts /init over what it
 * could unpack: what it could not is, for example, the policy. Three things are asked,
 * since none of them sees everything:
 *
 *   the marks (init/plan/marks.h), which only socle-image's archives have;
 *   the inodes and blocks that are left: without one the kernel drops a file, or a
 *   link to a long path, silently;
 *   the kernel's log, for archives of others and for what follows behind ours. It has
 *   to reach back to where the kernel began, since a host can make the kernel say so
 *   much that the log runs over, also while it is read.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "init/plan/cmdline.h"
#include "init/plan/marks.h"
#include "init/steps.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/io.h"
#include "lib/text.h"

/* The longest record of /dev/kmsg: CONSOLE_EXT_LOG_MAX of older kernels. */
#define RECORD_SIZE 8192

#define REMEDY "; give the guest more memory, or see whether the file was cut or damaged"

static int incomplete(struct err *e, const char *what)
{
	return err_set(e, FAIL_INITRAMFS_INCOMPLETE, EBADMSG,
		       "the initramfs was not unpacked whole: %s" REMEDY, what);
}

/* Where there are marks, whoever packed this can be held to them. */
static int check_marks(struct err *e)
{
	char begun[MARK_SIZE] = "", complete[MARK_SIZE] = "";
	ssize_t n = io_read_text(AT_FDCWD, MARK_BEGUN, begun, sizeof(begun));

	if (n == -ENOENT)
		return 0;
	if (n > 0 && io_read_text(AT_FDCWD, MARK_COMPLETE, complete, sizeof(complete)) == n &&
	    !memcmp(begun, complete, (size_t)n))
		return 0;
	return incomplete(e, "its last file, " MARK_COMPLETE ", is missing or another's");
}

/* Where inodes or blocks are not counted, f_files or f_blocks is 0. */
static int check_room(struct err *e)
{
	struct statfs s;

	if (statfs("/", &s))
		return err_errno(e, FAIL_INITRAMFS_INCOMPLETE, "ask for the room in it");
	if (s.f_files && !s.f_ffree)
		return incomplete(e, "there is no inode left, and so files may have been dropped");
	/* What the kernel says of files' contents it does not say of long links. */
	if (s.f_blocks && !s.f_bfree)
		return incomplete(e, "there is no block left, and so links may have been dropped");
	return 0;
}

/* How the kernel begins to say that an initramfs is lost or cut; init/initramfs.c and others. */
static bool tells_failure(const char *message)
{
	static const char *const beginnings[] = {
		"Initramfs unpacking failed: ", "rootfs image is not initramfs (",
		"initrd overwritten (",         "INITRD: ",
		"initrd not fully accessible ",
	};

	for (size_t i = 0; i < ARRAY_SIZE(beginnings); i++)
		if (text_behind(message, beginnings[i]))
			return true;
	return false;
}

/* What the kernel says when it begins, so that a failure would follow. */
static bool tells_start(const char *message)
{
	return text_behind(message, "Unpacking initramfs...") ||
	       text_behind(message, "Trying to unpack rootfs image as initramfs...");
}

/* One record, "priority,number,time,flags;message", and lines that begin with a blank. */
static int check_record(char *record, bool *covered, struct err *e)
{
	char *number = strchr(record, ','), *message = strchr(record, ';');

	if (!number || !message)
		return 0;
	message++;
	*strchrnul(message, '\n') = '\0';
	/* The log still has its first record, or that of the start. */
	if (!strtoull(number + 1, NULL, 10) || tells_start(message))
		*covered = true;
	return tells_failure(message) ? incomplete(e, message) : 0;
}

/* Whether every record was read from the first that counts on. */
static int check_log(struct err *e)
{
	static char record[RECORD_SIZE];
	auto_fd int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	bool covered = false;
	ssize_t n = 0;

	/* A kernel without a log tells nothing. */
	if (fd < 0)
		return errno == ENOENT ? 0 :
					 err_errno(e, FAIL_INITRAMFS_INCOMPLETE, "open /dev/kmsg");
	/* EPIPE: what was to be read next is gone, and the next call goes on behind it. */
	while ((n = read(fd, record, sizeof(record) - 1)) > 0 || (n < 0 && errno == EPIPE)) {
		int r;

		covered = covered && n > 0;
		record[n < 0 ? 0 : n] = '\0';
		r = check_record(record, &covered, e);
		if (r)
			return r;
	}
	if (covered && errno == EAGAIN)
		return 0;
	return incomplete(e, "nobody knows, since the kernel's log has lost its beginning "
			     "(log_buf_len= makes it larger)");
}

/* How to leave and where to report are on the command line, which is not the initramfs'. */
static void learn_how_to_fail(struct boot_plan *plan)
{
	static char text[CMDLINE_SIZE];
	struct err ignored;

	if (io_read_text(AT_FDCWD, "/proc/cmdline", text, sizeof(text)) <= 0)
		return;
	text[strcspn(text, "\n")] = '\0';
	(void)plan_parse(text, 0, plan, &ignored);
}

int step_initramfs(struct boot *b, struct err *e)
{
	int r = check_marks(e);

	if (!r)
		r = check_room(e);
	if (!r)
		r = check_log(e);
	if (r)
		learn_how_to_fail(&b->plan);
	return r;
}
