// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* One disk with many layers, for socle-init: each is a partition, found by its PARTUUID. */
#include <stdio.h>

#include "image-build/disk/gpt_layers.h"
#include "mount/fs/layers.h"

static void name_of(const struct disk_part *p, size_t index, char name[GPT_NAME_MAX + 1])
{
	(void)p;
	snprintf(name, GPT_NAME_MAX + 1, "layer-%zu", index);
}

static int write_layers(struct disk *d, struct err *e)
{
	return gpt_layers_write(d, name_of, e);
}

const struct disk_format format_layers = {
	.name = "layers",
	.summary = "one disk with a partition for each layer, the first one topmost",
	.takes = DISK_SALT | DISK_SECTOR_SIZE,
	.parts_max = LAYERS_MAX,
	.write = write_layers,
};
