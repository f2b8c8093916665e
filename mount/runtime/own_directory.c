// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/runtime/own_directory.h"

#include <errno.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

#include "lib/text.h"
#include "mount/runtime/mounts.h"
#include "mount/runtime/parts.h"
#include "verity/dm.h"

/* 1: it is the device, and of a kind that keeps bytes of the host's choice out. */
static int is_protected(void *data, const char *name, dev_t number)
{
	char line[DM_LINE_SIZE]; /* no table: that could have a key */

	return number == *(const dev_t *)data && (!dm_status(name, "crypt", line, sizeof(line)) ||
						  !dm_status(name, "verity", line, sizeof(line)));
}

/* The boot's is "socle", those of targets begin with it. */
static int is_our_overlay(const struct mounted *m, void *data)
{
	const char *rest = text_behind(m->source, "socle");

	return makedev(m->major, m->minor) == *(const dev_t *)data && rest &&
	       (!*rest || *rest == '.');
}

static int is_own(const struct statfs *fs, dev_t device, struct err *e)
{
	int r;

	if (fs->f_type == TMPFS_MAGIC || fs->f_type == RAMFS_MAGIC)
		return 1;
	if (fs->f_type == OVERLAYFS_SUPER_MAGIC)
		return mounts_each(is_our_overlay, &device, e);
	r = parts_each_device("", is_protected, &device);
	return r < 0 ? err_result(e, FAIL_SYSTEM_CALL_FAILED, r, "list the devices") : r;
}

int own_directory_check(const char *path, struct err *e)
{
	struct statfs fs;
	struct stat st;
	int r;

	if (statfs(path, &fs) || stat(path, &st))
		return err_errno(e, FAIL_SYSTEM_CALL_FAILED, "stat %.200s", path);
	r = is_own(&fs, st.st_dev, e);
	if (r)
		return r < 0 ? r : 0;
	return err_set(e, FAIL_POLICY_REFUSED, EPERM,
		       "%.200s is neither in memory nor on a verified or an encrypted device, and "
		       "the policy of this guest requires verity",
		       path);
}
