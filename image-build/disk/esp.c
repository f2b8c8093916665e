// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/disk/esp.h"

#include <stdlib.h>
#include <string.h>

#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/base/write.h"
#include "image-build/disk/copy.h"
#include "lib/le.h"

#define RESERVED       32 /* sectors in front of the tables */
#define TABLES         2
#define ENTRY_BYTES    4     /* of a table, for each cluster */
#define CLUSTERS_MIN   65536 /* fewer than 65525 would be FAT16 */
#define BACKUP         6     /* sector of the copy of the first two */
#define MEDIA          0xf8
#define END_OF_CHAIN   0x0fffffff
#define FIRST_CLUSTER  2
#define DIR_ENTRY      32
#define ATTR_LABEL     0x08
#define ATTR_DIRECTORY 0x10
#define ATTR_ARCHIVE   0x20
#define FIRST_DAY      0x21 /* the first of January 1980 */

/* Clusters, in this order. */
enum { ROOT = FIRST_CLUSTER, EFI, BOOT, PROGRAM };

struct shape {
	uint32_t program_clusters, clusters, table_sectors;
	uint64_t sectors;
};

static int measure(const struct esp *esp, struct shape *ret, struct err *e)
{
	uint64_t sector = esp->sector_size, n;

	if (!esp->program.size || esp->program.size > UINT32_MAX)
		return refuse_limit(e, "an EFI program of %llu bytes, which FAT32 cannot hold",
				    (unsigned long long)esp->program.size);
	n = (esp->program.size + sector - 1) / sector;
	ret->program_clusters = (uint32_t)n;
	n += PROGRAM - FIRST_CLUSTER;
	ret->clusters = n > CLUSTERS_MIN ? (uint32_t)n : CLUSTERS_MIN;
	n = (uint64_t)(ret->clusters + FIRST_CLUSTER) * ENTRY_BYTES;
	ret->table_sectors = (uint32_t)((n + sector - 1) / sector);
	ret->sectors = RESERVED + TABLES * (uint64_t)ret->table_sectors + ret->clusters;
	return 0;
}

int esp_check_program(const struct slice *program, unsigned int machine, struct err *e)
{
	uint8_t dos[64], pe[6];
	unsigned int found;

	if (slice_read(program, dos, sizeof(dos), 0) != (ssize_t)sizeof(dos) ||
	    memcmp(dos, "MZ", 2) ||
	    slice_read(program, pe, sizeof(pe), le_get(dos + 60, 4)) != (ssize_t)sizeof(pe) ||
	    memcmp(pe, "PE\0\0", 4))
		return refuse(e, "not an EFI program");
	found = (unsigned int)le_get(pe + 4, 2);
	return found == machine ?
		       0 :
		       refuse(e, "an EFI program for machine 0x%x, not 0x%x", found, machine);
}

int esp_size(const struct esp *esp, uint64_t *ret, struct err *e)
{
	struct shape s;
	int r = measure(esp, &s, e);

	if (!r)
		*ret = s.sectors * esp->sector_size;
	return r;
}

static int put(const struct esp *esp, int fd, uint64_t sector, const void *bytes, size_t size)
{
	return write_all_at(fd, bytes, size, esp->offset + sector * esp->sector_size);
}

static void fill_boot_sector(const struct esp *esp, const struct shape *s, uint8_t boot[512])
{
	memcpy(boot, "\xeb\x58\x90SOCLE   ", 11);
	le_put(boot + 11, 2, esp->sector_size);
	boot[13] = 1;
	le_put(boot + 14, 2, RESERVED);
	boot[16] = TABLES;
	boot[21] = MEDIA;
	le_put(boot + 24, 2, 32);
	le_put(boot + 26, 2, 64);
	le_put(boot + 28, 4, esp->offset / esp->sector_size);
	le_put(boot + 32, 4, s->sectors);
	le_put(boot + 36, 4, s->table_sectors);
	le_put(boot + 44, 4, ROOT);
	le_put(boot + 48, 2, 1);
	le_put(boot + 50, 2, BACKUP);
	boot[64] = 0x80;
	boot[66] = 0x29;
	le_put(boot + 67, 4, esp->volume_id);
	memcpy(boot + 71, "ESP        FAT32   ", 19);
	boot[510] = 0x55;
	boot[511] = 0xaa;
}

static void fill_info_sector(const struct shape *s, uint8_t info[512])
{
	uint32_t used = PROGRAM - FIRST_CLUSTER + s->program_clusters;

	memcpy(info, "RRaA", 4);
	memcpy(info + 484, "rrAa", 4);
	le_put(info + 488, 4, s->clusters - used);
	le_put(info + 492, 4, used < s->clusters ? FIRST_CLUSTER + used : UINT32_MAX);
	info[510] = 0x55;
	info[511] = 0xaa;
}

static int put_head(const struct esp *esp, const struct shape *s, int fd)
{
	static const uint64_t places[] = { 0, BACKUP };
	uint8_t boot[512] = { 0 }, info[512] = { 0 };
	int r = 0;

	fill_boot_sector(esp, s, boot);
	fill_info_sector(s, info);
	for (size_t i = 0; !r && i < 2; i++) {
		r = put(esp, fd, places[i], boot, sizeof(boot));
		if (!r)
			r = put(esp, fd, places[i] + 1, info, sizeof(info));
	}
	return r;
}

/* Each directory is one cluster, the program's follow each other. */
static int put_tables(const struct esp *esp, const struct shape *s, int fd)
{
	uint32_t entries = PROGRAM + s->program_clusters;
	uint8_t *table = memory_zero(entries, ENTRY_BYTES);
	int r = 0;

	le_put(table, 4, 0x0fffff00 | MEDIA);
	for (uint32_t i = 1; i < entries; i++)
		le_put(table + i * ENTRY_BYTES, 4,
		       i < PROGRAM || i == entries - 1 ? END_OF_CHAIN : i + 1);
	for (uint64_t i = 0; !r && i < TABLES; i++)
		r = put(esp, fd, RESERVED + i * s->table_sectors, table,
			(size_t)entries * ENTRY_BYTES);
	free(table);
	return r;
}

static void put_name(uint8_t *at, const char *name, uint8_t attributes, uint32_t cluster,
		     uint64_t size)
{
	memcpy(at, name, 11);
	at[11] = attributes;
	le_put(at + 16, 2, FIRST_DAY);
	le_put(at + 18, 2, FIRST_DAY);
	le_put(at + 20, 2, cluster >> 16);
	le_put(at + 24, 2, FIRST_DAY);
	le_put(at + 26, 2, cluster & 0xffff);
	le_put(at + 28, 4, size);
}

/* A parent that is the root has the number 0. */
static void put_dots(uint8_t *at, uint32_t own, uint32_t parent)
{
	put_name(at, ".          ", ATTR_DIRECTORY, own, 0);
	put_name(at + DIR_ENTRY, "..         ", ATTR_DIRECTORY, parent == ROOT ? 0 : parent, 0);
}

static int put_directories(const struct esp *esp, const struct shape *s, int fd)
{
	uint64_t first = RESERVED + TABLES * (uint64_t)s->table_sectors;
	uint8_t root[64] = { 0 }, efi[96] = { 0 }, boot[96] = { 0 };
	char name[12];
	int r;

	memcpy(name, esp->name, 8);
	memcpy(name + 8, "EFI", 4);
	put_name(root, "ESP        ", ATTR_LABEL, 0, 0);
	put_name(root + DIR_ENTRY, "EFI        ", ATTR_DIRECTORY, EFI, 0);
	put_dots(efi, EFI, ROOT);
	put_name(efi + 2 * DIR_ENTRY, "BOOT       ", ATTR_DIRECTORY, BOOT, 0);
	put_dots(boot, BOOT, EFI);
	put_name(boot + 2 * DIR_ENTRY, name, ATTR_ARCHIVE, PROGRAM, esp->program.size);
	r = put(esp, fd, first, root, sizeof(root));
	if (!r)
		r = put(esp, fd, first + EFI - FIRST_CLUSTER, efi, sizeof(efi));
	if (!r)
		r = put(esp, fd, first + BOOT - FIRST_CLUSTER, boot, sizeof(boot));
	return r;
}

int esp_write(const struct esp *esp, int fd, struct err *e)
{
	struct shape s;
	uint64_t at;
	int r = measure(esp, &s, e);

	if (r)
		return r;
	r = put_head(esp, &s, fd);
	if (!r)
		r = put_tables(esp, &s, fd);
	if (!r)
		r = put_directories(esp, &s, fd);
	if (r)
		return system_result(e, r, "write the EFI system partition");
	at = RESERVED + TABLES * (uint64_t)s.table_sectors + PROGRAM - FIRST_CLUSTER;
	return slice_copy(&esp->program, fd, esp->offset + at * esp->sector_size, e);
}
