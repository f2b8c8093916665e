// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/fs/overlay.h"

#include <errno.h>
#include <linux/mount.h>
#include <stdio.h>

#include "lib/sys.h"
#include "mount/fs/fsmount.h"

int overlay_mount(const struct overlay *o, struct err *e)
{
	struct fs_option options[LAYERS_MAX + 3];
	size_t count = 0;
	struct fs_mount m = {
		.type = "overlay",
		.options = options,
		.target = o->target,
		.code = FAIL_OVERLAY_FAILED,
	};

	if (o->count > LAYERS_MAX)
		return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG, "%zu layers, at most %d", o->count,
			       LAYERS_MAX);
	options[count++] = (struct fs_option){ "source", o->source };
	for (size_t i = 0; i < o->count; i++)
		options[count++] = (struct fs_option){ "lowerdir+", o->lowerdirs[i] };
	if (o->upperdir) {
		options[count++] = (struct fs_option){ "upperdir", o->upperdir };
		options[count++] = (struct fs_option){ "workdir", o->workdir };
	} else {
		m.attributes = MOUNT_ATTR_RDONLY;
	}
	m.option_count = count;
	return fs_mount(&m, e);
}

int overlay_check_upper(const char *dir, struct err *e)
{
	static const char name[] = "trusted.overlay.socle";

	if (!sys_setxattr(dir, name, "y") && !sys_removexattr(dir, name))
		return 0;
	if (errno == EOPNOTSUPP)
		return err_set(
			e, FAIL_KERNEL_FEATURE_MISSING, EOPNOTSUPP,
			"the kernel lacks CONFIG_TMPFS_XATTR, or the upper's file system has no "
			"extended attributes: it could not hide what was deleted");
	return err_errno(e, FAIL_OVERLAY_FAILED, "set an extended attribute on %s", dir);
}

int overlay_make_upper(const char *target, struct err *e)
{
	char dir[2][256];

	for (int i = 0; i < 2; i++) {
		snprintf(dir[i], sizeof(dir[i]), "%s/%s", target, i ? "work" : "upper");
		if (sys_mkdir(dir[i], 0755))
			return err_errno(e, FAIL_OVERLAY_FAILED, "create %s", dir[i]);
	}
	return overlay_check_upper(dir[0], e);
}
