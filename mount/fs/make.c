// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/fs/make.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "lib/sys.h"

int make_dir(const char *path, unsigned int mode, struct err *e)
{
	if (sys_mkdir(path, mode) && errno != EEXIST)
		return err_errno(e, FAIL_SYSTEM_CALL_FAILED, "create %s", path);
	return 0;
}

int make_parents(const char *path, unsigned int mode, struct err *e)
{
	char part[PATH_MAX];
	int r = 0;

	if (strlen(path) >= sizeof(part))
		return err_set(e, FAIL_SYSTEM_CALL_FAILED, ENAMETOOLONG, "create %.200s: too long",
			       path);
	strcpy(part, path);
	for (char *slash = part + 1; !r && (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		r = make_dir(part, mode, e);
	}
	return r;
}

int make_link(const char *to, const char *path, struct err *e)
{
	if (sys_symlink(to, path) && errno != EEXIST)
		return err_errno(e, FAIL_SYSTEM_CALL_FAILED, "link %s to %s", path, to);
	return 0;
}
