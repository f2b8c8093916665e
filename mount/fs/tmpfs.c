// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/fs/tmpfs.h"

#include "mount/fs/fsmount.h"

int tmpfs_mount(const char *source, const char *target, const char *size, enum fail_code code,
		struct err *e)
{
	const struct fs_option options[] = {
		{ "source", source },
		{ "mode", "0755" },
		{ "size", size },
	};
	const struct fs_mount m = {
		.type = "tmpfs",
		.options = options,
		.option_count = *size ? 3 : 2,
		.target = target,
		.code = code,
	};

	return fs_mount(&m, e);
}
