// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/runtime/umount.h"

#include <errno.h>
#include <sys/mount.h>

#include "lib/sys.h"
#include "mount/runtime/parts.h"

#define HOLD_MS 10000

static int umount_target(const struct target *t, struct err *e)
{
	struct parts parts;
	int r = parts_find(t, &parts, e);

	if (r)
		return r;
	if (parts.foreign && (parts.count || parts.staged))
		return err_set(e, FAIL_TARGET_IN_USE, EBUSY,
			       "something else is mounted on %.200s, above what is to be unmounted",
			       t->path);
	if (!parts.mounted)
		return 0;
	if (!sys_umount(t->at, UMOUNT_NOFOLLOW) || errno == EINVAL)
		return 0;
	return err_errno(e, errno == EBUSY ? FAIL_TARGET_IN_USE : FAIL_SYSTEM_CALL_FAILED,
			 "unmount %.200s", t->path);
}

int runtime_umount(const char *path, unsigned int *ret_left, struct err *e)
{
	struct target target;
	unsigned int left = 0;
	int fd, r = target_open(path, false, &target, e);

	if (r)
		return r;
	fd = target_hold(&target, HOLD_MS, e);
	if (fd < 0)
		return fd;
	r = umount_target(&target, e);
	if (!r)
		r = parts_clear(&target, &left, e);
	target_release(&target, &fd);
	if (!r)
		*ret_left = left;
	return r;
}
