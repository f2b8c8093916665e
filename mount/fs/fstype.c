// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/fs/fstype.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "lib/text.h"

const char *const fstypes[] = { "erofs", "squashfs", "ext4", "xfs", NULL };

int fstype_parse(const char *text, char ret[FSTYPE_SIZE], struct err *e)
{
	if (text_find(fstypes, text, strlen(text)) < 0)
		return err_set(e, FAIL_VALUE_INVALID, EINVAL,
			       "the file system %.40s is not one of erofs, squashfs, ext4, xfs",
			       text);
	strcpy(ret, text);
	return 0;
}
