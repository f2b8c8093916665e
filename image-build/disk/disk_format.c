// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/disk/disk_format.h"

#include <string.h>

const struct disk_format *const disk_formats[] = {
	&format_raw,
	&format_verity,
	&format_hash_file,
	&format_kata,
	&format_kata_extension,
	&format_kata_gpt,
	&format_dps,
	&format_containerd,
	&format_nydus,
	&format_layers,
	NULL,
};

const struct disk_format *disk_format_find(const char *name)
{
	for (size_t i = 0; disk_formats[i]; i++)
		if (!strcmp(disk_formats[i]->name, name))
			return disk_formats[i];
	return NULL;
}
