// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/device/blockdev.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/io.h"
#include "lib/text.h"

#define SECTOR_BYTES 512 /* the unit of sysfs' size, whatever the disk's own is */

/* Kinds of block device that the guest itself makes. */
static const char *const own_kinds[] = { "dm-", "loop", "ram", "zram", "nbd", "md" };

/* Where a disk's serial number stands, and how many bytes stand before it. */
static const struct {
	const char *file;
	size_t header;
} serial_files[] = {
	{ "serial", 0 },          /* virtio-blk */
	{ "device/vpd_pg80", 4 }, /* SCSI: unit serial number page */
	{ "device/serial", 0 },   /* NVMe, MMC */
};

static bool is_own_kind(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(own_kinds); i++)
		if (text_behind(name, own_kinds[i]))
			return true;
	return false;
}

static int read_number(int dir, const char *file, uint64_t *ret)
{
	char text[32];
	ssize_t n = io_read_text(dir, file, text, sizeof(text));

	if (n < 0)
		return (int)n;
	text[strcspn(text, "\n")] = '\0';
	return parse_u64(text, UINT64_MAX, ret);
}

static int read_dev(int dir, struct blockdev *b)
{
	char text[32], tail;
	ssize_t n = io_read_text(dir, "dev", text, sizeof(text));

	if (n < 0)
		return (int)n;
	return sscanf(text, "%u:%u%c", &b->major, &b->minor, &tail) == 3 && tail == '\n' ? 0 :
											   -EINVAL;
}

/* Blanks and NULs at either end are padding; a NUL inside ends the number. */
static void copy_serial(const char *from, size_t length, char *to, size_t size)
{
	size_t used = 0;

	while (length && (*from == ' ' || *from == '\0')) {
		from++;
		length--;
	}
	while (used < length && used < size - 1 && from[used] && from[used] != '\n') {
		to[used] = from[used];
		used++;
	}
	while (used && to[used - 1] == ' ')
		used--;
	to[used] = '\0';
}

static void read_serial(int dir, struct blockdev *b)
{
	char text[4096];

	for (size_t i = 0; i < ARRAY_SIZE(serial_files); i++) {
		ssize_t n = io_read_text(dir, serial_files[i].file, text, sizeof(text));
		size_t header = serial_files[i].header;

		if (n < 0 || (size_t)n <= header)
			continue;
		copy_serial(text + header, (size_t)n - header, b->serial, sizeof(b->serial));
		return;
	}
}

/* A partition's path has its disk in front of the last part: …/block/vda/vda1. */
static int cut_disk_name(char *path, struct blockdev *b)
{
	char *end = strrchr(path, '/');

	if (!end)
		return -EINVAL;
	*end = '\0';
	end = strrchr(path, '/');
	if (!end || strlen(end + 1) >= sizeof(b->disk))
		return -EINVAL;
	strcpy(b->disk, end + 1);
	devref_node_name(b->disk);
	return 0;
}

/*
 * ../../devices/pci0000:00/0000:00:02.0/virtio3/block/vda: what lies between.
 * NVMe has no "block" there: …/0000:00:04.0/nvme/nvme0/nvme0n1.
 */
static void keep_address(const char *path, struct blockdev *b)
{
	static const char devices[] = "/devices";
	const char *start = strstr(path, devices), *end = strstr(path, "/block/");

	if (!end)
		end = strstr(path, "/nvme/");
	if (start && end && start + strlen(devices) < end) {
		start += strlen(devices);
		snprintf(b->address, sizeof(b->address), "%.*s", (int)(end - start) + 1, start);
	}
}

/* /sys/class/block/vda1 is a link that says where the device hangs. */
static int read_place(int sysfs, const char *path, struct blockdev *b)
{
	char target[1024];
	ssize_t n = readlinkat(sysfs, path, target, sizeof(target) - 1);

	if (n < 0)
		return -errno;
	target[n] = '\0';
	keep_address(target, b);
	return b->partition ? cut_disk_name(target, b) : 0;
}

static int read_partition(int dir, struct blockdev *b)
{
	uint64_t number;
	int r = read_number(dir, "partition", &number);

	if (r == -ENOENT) {
		read_serial(dir, b);
		if (read_number(dir, "queue/logical_block_size", &b->sector_bytes))
			b->sector_bytes = SECTOR_BYTES;
		return 0;
	}
	if (r || !number || number > UINT32_MAX)
		return -EINVAL;
	b->partition = (unsigned int)number;
	return 0;
}

int blockdev_read(int sysfs, const char *name, struct blockdev *ret)
{
	struct blockdev b = { 0 };
	char path[64];
	uint64_t sectors;
	auto_fd int dir = -1;

	if (is_own_kind(name) || strlen(name) >= sizeof(b.name) || strchr(name, '/') ||
	    *name == '.')
		return -ENOENT;
	strcpy(b.name, name);
	devref_node_name(b.name);
	snprintf(path, sizeof(path), "class/block/%s", name);
	dir = openat(sysfs, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0 || read_dev(dir, &b) || read_number(dir, "size", &sectors) ||
	    sectors > INT64_MAX / SECTOR_BYTES || read_partition(dir, &b) ||
	    read_place(sysfs, path, &b))
		return -ENOENT;
	b.size_bytes = sectors * SECTOR_BYTES;
	b.empty = !sectors;
	*ret = b;
	return 0;
}

static void remove_name(struct blockdev_set *set, const char *sysfs_name)
{
	char name[BLOCKDEV_NAME_SIZE];

	if (strlen(sysfs_name) >= sizeof(name))
		return;
	strcpy(name, sysfs_name);
	devref_node_name(name);
	for (size_t i = 0; i < set->count; i++)
		if (!strcmp(set->dev[i].name, name)) {
			set->dev[i] = set->dev[--set->count];
			return;
		}
}

int blockdev_update(int sysfs, const char *name, struct blockdev_set *set, struct err *e)
{
	struct blockdev b;

	remove_name(set, name);
	if (blockdev_read(sysfs, name, &b))
		return 0;
	if (set->count == BLOCKDEV_MAX)
		return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG,
			       "there are more than %d block devices", BLOCKDEV_MAX);
	set->dev[set->count++] = b;
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	const struct blockdev *x = a, *y = b;
	size_t xlen = strlen(x->name), ylen = strlen(y->name);

	/* vdb before vdaa, vda2 before vda10 */
	if (xlen != ylen)
		return xlen < ylen ? -1 : 1;
	return strcmp(x->name, y->name);
}

int blockdev_scan(int sysfs, struct blockdev_set *ret, struct err *e)
{
	int fd = openat(sysfs, "class/block", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;
	int r = 0;

	if (!dir) {
		r = err_errno(e, FAIL_SYSTEM_CALL_FAILED, "open /sys/class/block");
		if (fd >= 0)
			close(fd);
		return r;
	}
	ret->count = 0;
	while (!r && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			r = blockdev_update(sysfs, entry->d_name, ret, e);
	closedir(dir);
	if (!r)
		qsort(ret->dev, ret->count, sizeof(ret->dev[0]), compare_names);
	return r;
}

const char *blockdev_inventory(const struct blockdev_set *set, char *buf, size_t size)
{
	size_t used = 0;

	snprintf(buf, size, "none");
	for (size_t i = 0; i < set->count; i++) {
		const struct blockdev *b = &set->dev[i];
		char one[256];
		int n = snprintf(one, sizeof(one), "%s%s(%llu bytes%s%s%s%s%s)", used ? " " : "",
				 b->name, (unsigned long long)b->size_bytes,
				 b->foreign_gpt ? ", a GPT of another sector size" : "",
				 b->serial[0] ? ", serial=" : "", b->serial,
				 b->partuuid[0] ? ", PARTUUID=" : "", b->partuuid);

		if (used + (size_t)n + 16 > size) {
			snprintf(buf + used, size - used, " and %zu more", set->count - i);
			break;
		}
		memcpy(buf + used, one, (size_t)n + 1);
		used += (size_t)n;
	}
	return buf;
}
