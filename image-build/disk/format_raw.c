// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* The file system alone: what comes with a hash tree has it taken away. */
#include <unistd.h>

#include "image-build/base/refuse.h"
#include "image-build/disk/disk_parts.h"

static int write_raw(struct disk *d, struct err *e)
{
	struct disk_part *p = &d->parts[0];
	int r = part_write_data(p, d->out.fd, 0, e);

	if (!r && ftruncate(d->out.fd, (off_t)part_data_bytes(p)))
		r = system_failed(e, "extend the disk");
	p->verity.root_hash_size = 0;
	return r;
}

const struct disk_format format_raw = {
	.name = "raw",
	.summary = "the file system alone, without a hash tree",
	.parts_max = 1,
	.write = write_raw,
};
