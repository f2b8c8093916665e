// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/device/probe.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/io.h"
#include "mount/fs/erofs.h"
#include "verity/device.h"

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

/* What libblkid returns, and one value more; an error is less than 0, -1 or -errno. */
enum { PROBE_FOUND = 0, PROBE_NOTHING = 1, PROBE_AMBIGUOUS = 2 };

/* An erofs is looked at here, all others by libblkid. */
static const char *const blkid_fstypes[] = { "squashfs", "ext4", "xfs", NULL };

/*
 * libblkid 2.41.5 does not know an erofs with a checksum whose blocks are of 512
 * or 1,024 bytes. erofs_verify_checksum() in its src/superblocks/erofs.c sums up
 * "(1U << sb->blkszbits) - EROFS_SUPER_OFFSET" bytes from the superblock on: none
 * at all, or 512 less than 2^32, where the kernel (fs/erofs/super.c) takes the
 * whole size of a block that is not above 1,024 bytes. Every layer that
 * containerd makes as a tar behind its index is such an erofs. Its few fields
 * need no library; whether the checksum is right, the kernel looks.
 */
static int probe_erofs(int fd, struct superblock *ret)
{
	uint8_t start[EROFS_SUPERBLOCK_OFFSET + EROFS_SUPERBLOCK_SIZE];
	static const uint8_t none[UUID_SIZE];
	struct erofs_superblock sb;
	ssize_t n = io_pread(fd, start, sizeof(start), 0);

	if (n < 0)
		return (int)n;
	if (erofs_superblock_read(start, (size_t)n, &sb))
		return PROBE_NOTHING;
	memset(ret, 0, sizeof(*ret));
	strcpy(ret->type, "erofs");
	if (memcmp(sb.uuid, none, sizeof(none)))
		uuid_text(sb.uuid, ret->uuid);
	strcpy(ret->label, sb.label);
	for (size_t end = strlen(ret->label); end && ret->label[end - 1] == ' '; end--)
		ret->label[end - 1] = '\0';
	return PROBE_FOUND;
}

/*
 * blkid_do_safeprobe() is the same, but takes the first file system of a
 * device below 1.44 MB for the only one.
 */
static int probe_blkid(int fd, struct superblock *ret)
{
	auto_probe blkid_probe pr = new_probe(fd);
	int r;

	if (!pr)
		return -1;

	blkid_probe_enable_superblocks(pr, 1);
	blkid_probe_set_superblocks_flags(pr, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_UUID |
						      BLKID_SUBLKS_LABEL);
	blkid_probe_filter_superblocks_type(pr, BLKID_FLTR_ONLYIN, names(blkid_fstypes));
	r = blkid_do_probe(pr);
	if (r)
		return r;
	copy_value(pr, "TYPE", ret->type, sizeof(ret->type));
	copy_value(pr, "UUID", ret->uuid, sizeof(ret->uuid));
	copy_value(pr, "LABEL", ret->label, sizeof(ret->label));
	r = blkid_do_probe(pr);
	return r == PROBE_NOTHING ? PROBE_FOUND : r ? r : PROBE_AMBIGUOUS;
}

static int probe_superblocks(int fd, struct superblock *ret)
{
	struct superblock other;
	int erofs = probe_erofs(fd, ret), r;

	if (erofs < 0)
		return erofs;
	r = probe_blkid(fd, erofs == PROBE_FOUND ? &other : ret);
	if (erofs != PROBE_FOUND)
		return r;
	return r == PROBE_NOTHING ? PROBE_FOUND : r ? r : PROBE_AMBIGUOUS;
}

int probe_fstype(int fd, char type[FSTYPE_SIZE], struct err *e)
{
	struct superblock found;
	int r = probe_superblocks(fd, &found);

	if (r == PROBE_FOUND) {
		memcpy(type, found.type, sizeof(found.type));
		return 0;
	}
	if (r < 0)
		return err_errno(e, FAIL_DEVICE_READ_FAILED, "read the file system's superblock");
	return err_set(e, FAIL_FILESYSTEM_UNKNOWN, EMEDIUMTYPE,
		       r == PROBE_AMBIGUOUS ?
			       "more than one file system claims the device" :
			       "there is no erofs, squashfs, ext4 or xfs on the device");
}

/* Whether the device could be read; one without a file system, or with two, has no ids. */
static bool probe_filesystem_ids(int dev, struct blockdev *b)
{
	auto_fd int fd = device_node_open(dev, b->name, b->major, b->minor, NULL);
	struct superblock found;
	int r = fd >= 0 ? probe_superblocks(fd, &found) : -1;

	if (r == PROBE_FOUND) {
		strcpy(b->uuid, found.uuid);
		strcpy(b->label, found.label);
	}
	return r >= 0;
}

/* list: NULL where the disk has no table. */
static void copy_partition_ids(blkid_partlist list, struct blockdev *b)
{
	blkid_partition part =
		list ? blkid_partlist_get_partition_by_partno(list, (int)b->partition) : NULL;
	const char *uuid = part ? blkid_partition_get_uuid(part) : NULL;
	const char *name = part ? blkid_partition_get_name(part) : NULL;

	snprintf(b->partuuid, sizeof(b->partuuid), "%s", uuid ? uuid : "");
	snprintf(b->partlabel, sizeof(b->partlabel), "%s", name ? name : "");
	b->table_read = true;
}

static bool is_unread_partition(const struct blockdev *b, const struct blockdev *disk)
{
	return !b->table_read && !strcmp(b->disk, disk->name);
}

/* As above: whether there is a table. */
static int probe_table(blkid_probe pr, blkid_partlist *ret)
{
	int r;

	blkid_probe_enable_superblocks(pr, 0);
	blkid_probe_enable_partitions(pr, 1);
	blkid_probe_filter_partitions_type(pr, BLKID_FLTR_ONLYIN, names(partition_tables));
	r = blkid_do_fullprobe(pr); /* the list alone would not tell an error from no table */
	*ret = r ? NULL : blkid_probe_get_partitions(pr);
	return r || *ret ? r : -1;
}

/* One read of a disk's table serves all of its partitions. */
static void probe_partitions_of(int dev, const struct blockdev *disk, struct blockdev_set *set)
{
	auto_fd int fd = device_node_open(dev, disk->name, disk->major, disk->minor, NULL);
	auto_probe blkid_probe pr = fd >= 0 ? new_probe(fd) : NULL;
	blkid_partlist list = NULL;
	int r = pr ? probe_table(pr, &list) : -1;

	for (size_t i = 0; r >= 0 && i < set->count; i++)
		if (is_unread_partition(&set->dev[i], disk))
			copy_partition_ids(list, &set->dev[i]);
}

static bool has_unread_partition(const struct blockdev_set *set, const struct blockdev *disk)
{
	for (size_t i = 0; i < set->count; i++)
		if (is_unread_partition(&set->dev[i], disk))
			return true;
	return false;
}

void probe_partitions(int dev, struct blockdev_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		if (!set->dev[i].partition && has_unread_partition(set, &set->dev[i]))
			probe_partitions_of(dev, &set->dev[i], set);
}

void probe_filesystems(int dev, struct blockdev_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		struct blockdev *b = &set->dev[i];

		if (!b->filesystem_read && !b->empty)
			b->filesystem_read = probe_filesystem_ids(dev, b);
	}
}

/* A GPT's header is in the second sector, whatever a sector is. */
static bool has_gpt_at(int fd, uint64_t sector_bytes)
{
	char signature[8];

	return io_pread(fd, signature, sizeof(signature), sector_bytes) ==
		       (ssize_t)sizeof(signature) &&
	       !memcmp(signature, "EFI PART", sizeof(signature));
}

void probe_foreign_gpt(int dev, struct blockdev_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		struct blockdev *b = &set->dev[i];
		auto_fd int fd = -1;

		if (b->partition || b->empty)
			continue;
		fd = device_node_open(dev, b->name, b->major, b->minor, NULL);
		b->foreign_gpt = fd >= 0 && has_gpt_at(fd, b->sector_bytes == 512 ? 4096 : 512);
	}
}
