// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/runtime/linear.h"

#include <stdio.h>

#include "verity/dm.h"

int linear_open(const char *name, const char *mark, const struct blockdev *b,
		struct mapped_device *ret, struct err *e)
{
	char line[48], uuid[DM_UUID_SIZE];
	const struct dm_target target = {
		.sectors = b->size_bytes / 512,
		.type = "linear",
		.line = line,
		.read_only = true,
	};
	dev_t number;
	int r;

	snprintf(line, sizeof(line), "%u:%u 0", b->major, b->minor);
	snprintf(uuid, sizeof(uuid), "socle-%s-%s", mark, name);
	r = dm_open(name, uuid, &target, &number);
	if (r)
		return err_result(e, FAIL_VERITY_OPEN_FAILED, r, "open %s as %s", b->name, name);
	*ret = mapped_device(name, number);
	return 0;
}
