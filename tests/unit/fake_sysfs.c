// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/fake_sysfs.h"

#include <stdio.h>
#include <unistd.h>

#include "tests/unit/unit.h"

#define DEVICES "devices/pci0000:00/0000:00:05.0/virtio0/block"

static void put_value(int sysfs, const char *folder, const char *file, const char *value)
{
	char path[256], text[256];

	if (!value)
		return;
	snprintf(path, sizeof(path), "%s/%s", folder, file);
	snprintf(text, sizeof(text), "%s\n", value);
	put_text(sysfs, path, text);
}

static void put_device(int sysfs, const char *folder, const char *name, const char *dev,
		       const char *sectors)
{
	char link[256], target[256];

	put_dir(sysfs, folder);
	put_value(sysfs, folder, "dev", dev);
	put_value(sysfs, folder, "size", sectors);
	snprintf(link, sizeof(link), "class/block/%s", name);
	snprintf(target, sizeof(target), "../../%s", folder);
	put_link(sysfs, link, target);
}

void sysfs_disk(int sysfs, const char *name, const char *dev, const char *sectors)
{
	char folder[128];

	snprintf(folder, sizeof(folder), DEVICES "/%s", name);
	put_device(sysfs, folder, name, dev, sectors);
}

void sysfs_partition(int sysfs, const char *disk, const char *name, const char *number,
		     const char *dev, const char *sectors)
{
	char folder[128];

	snprintf(folder, sizeof(folder), DEVICES "/%s/%s", disk, name);
	put_device(sysfs, folder, name, dev, sectors);
	put_value(sysfs, folder, "partition", number);
}

void sysfs_file(int sysfs, const char *name, const char *file, const void *bytes, size_t size)
{
	char path[256];

	snprintf(path, sizeof(path), "class/block/%s/%s", name, file);
	put_bytes(sysfs, path, bytes, size);
}

void sysfs_remove(int sysfs, const char *name)
{
	char link[256];

	snprintf(link, sizeof(link), "class/block/%s", name);
	assert_int_equal(unlinkat(sysfs, link, 0), 0);
}
