// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/probe.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/cleanup.h"

static const char *const partition_tables[] = { "gpt", "dos", NULL };

static void cleanup_probe(blkid_probe *pr)
{
	blkid_free_probe(*pr);
}

#define auto_probe __attribute__((cleanup(cleanup_probe)))

/* libblkid wants its list of names without const and does not write to it. */
static char **names(const char *const *list)
{
	return (char **)(uintptr_t)list;
}

static blkid_probe new_probe(int fd)
{
	blkid_probe pr = blkid_new_probe();

	if (!pr)
		return NULL;
	if (blkid_probe_set_device(pr, fd, 0, 0)) {
		blkid_free_probe(pr);
		return NULL;
	}
	return pr;
}

static void copy_value(blkid_probe pr, const char *name, char *to, size_t size)
{
	const char *value;

	if (blkid_probe_lookup_value(pr, name, &value, NULL))
		value = "";
	snprintf(to, size, "%s", value);
}

/* What a superblock says. */
struct superblock {
	char type[FSTYPE_SIZE];
	char uuid[sizeof(((struct blockdev *)0)->uuid)];
	char label[sizeof(((struct blockdev *)0)->label)];
};

/*
 * 0: one file system, 1: none, -2: more than one, -1: an error, as libblkid
 * says it. blkid_do_safeprobe() is the same, but takes the first file system
 * of a device below 1.44 MB for the only one.
 */
static int probe_superblocks(blkid_probe pr, struct superblock *ret)
{
	int r;

	blkid_probe_enable_superblocks(pr, 1);
	blkid_probe_set_superblocks_flags(pr, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_UUID |
						      BLKID_SUBLKS_LABEL);
	blkid_probe_filter_superblocks_type(pr, BLKID_FLTR_ONLYIN, names(probe_fstypes));
	r = blkid_do_probe(pr);
	if (r)
		return r;
	copy_value(pr, "TYPE", ret->type, sizeof(ret->type));
	copy_value(pr, "UUID", ret->uuid, sizeof(ret->uuid));
	copy_value(pr, "LABEL", ret->label, sizeof(ret->label));
	r = blkid_do_probe(pr);
	return r == 1 ? 0 : r ? r : -2;
}

int probe_fstype(int fd, char type[FSTYPE_SIZE], struct err *e)
{
	auto_probe blkid_probe pr = new_probe(fd);
	struct superblock found;
	int r;

	if (!pr)
		return err_errno(e, FAIL_SYSTEM_CALL_FAILED, "prepare to probe the file system");
	r = probe_superblocks(pr, &found);
	if (r == 0) {
		memcpy(type, found.type, sizeof(found.type));
		return 0;
	}
	if (r == -1)
		return err_errno(e, FAIL_DEVICE_READ_FAILED, "read the file system's superblock");
	return err_set(e, FAIL_FILESYSTEM_UNKNOWN, EMEDIUMTYPE,
		       r == -2 ? "more than one file system claims the device" :
				 "there is no erofs, squashfs, ext4 or xfs on the device");
}

static void probe_filesystem_ids(int dev, struct blockdev *b)
{
	auto_fd int fd = blockdev_open(dev, b, NULL);
	auto_probe blkid_probe pr = fd >= 0 ? new_probe(fd) : NULL;
	struct superblock found;

	if (!pr || probe_superblocks(pr, &found))
		return;
	strcpy(b->uuid, found.uuid);
	strcpy(b->label, found.label);
}

static void copy_partition_ids(blkid_partlist list, struct blockdev *b)
{
	blkid_partition part = blkid_partlist_get_partition_by_partno(list, (int)b->partition);
	const char *uuid = part ? blkid_partition_get_uuid(part) : NULL;
	const char *name = part ? blkid_partition_get_name(part) : NULL;

	snprintf(b->partuuid, sizeof(b->partuuid), "%s", uuid ? uuid : "");
	snprintf(b->partlabel, sizeof(b->partlabel), "%s", name ? name : "");
}

/* One read of a disk's table serves all of its partitions. */
static void probe_partition_table(int dev, const struct blockdev *disk, struct blockdev_set *set)
{
	auto_fd int fd = blockdev_open(dev, disk, NULL);
	auto_probe blkid_probe pr = fd >= 0 ? new_probe(fd) : NULL;
	blkid_partlist list;

	if (!pr)
		return;
	blkid_probe_enable_superblocks(pr, 0);
	blkid_probe_enable_partitions(pr, 1);
	blkid_probe_filter_partitions_type(pr, BLKID_FLTR_ONLYIN, names(partition_tables));
	list = blkid_probe_get_partitions(pr);
	for (size_t i = 0; list && i < set->count; i++)
		if (!set->dev[i].probed && !strcmp(set->dev[i].disk, disk->name))
			copy_partition_ids(list, &set->dev[i]);
}

static bool has_unprobed_partition(const struct blockdev_set *set, const struct blockdev *disk)
{
	for (size_t i = 0; i < set->count; i++)
		if (!set->dev[i].probed && !strcmp(set->dev[i].disk, disk->name))
			return true;
	return false;
}

void probe_ids(int dev, struct blockdev_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		if (!set->dev[i].partition && has_unprobed_partition(set, &set->dev[i]))
			probe_partition_table(dev, &set->dev[i], set);
	for (size_t i = 0; i < set->count; i++) {
		if (!set->dev[i].probed)
			probe_filesystem_ids(dev, &set->dev[i]);
		set->dev[i].probed = true;
	}
}
