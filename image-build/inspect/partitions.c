// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/inspect/partitions.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <stdio.h>

#include "image-build/base/refuse.h"

#define BLKID_UNIT 512 /* what libblkid counts in, whatever a sector is */

static void cleanup_probe(blkid_probe *pr)
{
	blkid_free_probe(*pr);
}

#define auto_probe __attribute__((cleanup(cleanup_probe)))

static void copy_text(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from ? from : "");
	err_make_printable(to);
}

static int read_partition(blkid_partition part, const struct slice *disk, struct partition *ret,
			  struct err *e)
{
	struct partition p = { .number = (unsigned int)blkid_partition_get_partno(part) };
	blkid_loff_t start = blkid_partition_get_start(part), size = blkid_partition_get_size(part);

	if (start < 0 || size < 0 || (uint64_t)start > disk->size / BLKID_UNIT ||
	    (uint64_t)size > disk->size / BLKID_UNIT - (uint64_t)start)
		return refuse(e, "partition %u lies beyond the end of the disk", p.number);
	p.offset = (uint64_t)start * BLKID_UNIT;
	p.size = (uint64_t)size * BLKID_UNIT;
	copy_text(p.uuid, sizeof(p.uuid), blkid_partition_get_uuid(part));
	copy_text(p.name, sizeof(p.name), blkid_partition_get_name(part));
	copy_text(p.type, sizeof(p.type), blkid_partition_get_type_string(part));
	if (!*p.type)
		snprintf(p.type, sizeof(p.type), "0x%02x",
			 (unsigned int)blkid_partition_get_type(part));
	*ret = p;
	return 0;
}

int partitions_read(const struct slice *disk, unsigned int sector_size,
		    struct partition list[PARTITIONS_MAX], size_t *count, struct err *e)
{
	auto_probe blkid_probe pr = blkid_new_probe();
	char *tables[] = { (char[]){ "gpt" }, (char[]){ "dos" }, NULL };
	blkid_partlist found;
	int n;

	if (!pr || blkid_probe_set_device(pr, disk->fd, (blkid_loff_t)disk->offset,
					  (blkid_loff_t)disk->size))
		return system_failed(e, "prepare to read the partitions");
	blkid_probe_set_sectorsize(pr, sector_size);
	blkid_probe_enable_superblocks(pr, 0);
	blkid_probe_enable_partitions(pr, 1);
	blkid_probe_filter_partitions_type(pr, BLKID_FLTR_ONLYIN, tables);
	found = blkid_probe_get_partitions(pr);
	n = found ? blkid_partlist_numof_partitions(found) : 0;
	if (!found)
		return refuse(e, "its partition table is damaged");
	if (n > PARTITIONS_MAX)
		return refuse_limit(e, "%d partitions, at most %d", n, PARTITIONS_MAX);
	for (int i = 0; i < n; i++) {
		int r = read_partition(blkid_partlist_get_partition(found, i), disk, &list[i], e);

		if (r)
			return r;
	}
	*count = (size_t)n;
	return 0;
}
