// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/disk/gpt.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/base/write.h"
#include "lib/hex.h"
#include "lib/le.h"

#define ENTRY_SIZE  128
#define TABLE_BYTES (GPT_ENTRIES_MAX * ENTRY_SIZE)
#define HEADER_SIZE 92
#define REVISION    0x10000

static uint64_t round_up(uint64_t n, uint64_t unit)
{
	return (n + unit - 1) / unit * unit;
}

/* A partition starts here at the earliest. */
static uint64_t end_of(const struct gpt *g)
{
	const struct gpt_entry *last;

	if (!g->count)
		return GPT_ALIGNMENT;
	last = &g->entries[g->count - 1];
	return round_up(last->offset + last->size, GPT_ALIGNMENT);
}

static void put_type(const char *text, uint8_t uuid[UUID_SIZE])
{
	char digits[2 * UUID_SIZE + 1];
	size_t n = 0;

	for (; *text && n < sizeof(digits) - 1; text++)
		if (*text != '-')
			digits[n++] = *text;
	digits[n] = '\0';
	if (hex_decode(digits, uuid, UUID_SIZE) != UUID_SIZE)
		abort();
}

struct gpt_entry *gpt_add(struct gpt *g, const char *type, const uint8_t uuid[UUID_SIZE],
			  const char *name, uint64_t size, struct err *e)
{
	struct gpt_entry *entry = &g->entries[g->count];

	if (g->count == GPT_ENTRIES_MAX) {
		(void)refuse_limit(e, "more than %d partitions", GPT_ENTRIES_MAX);
		return NULL;
	}
	if (size > INT64_MAX / 2 || end_of(g) > INT64_MAX / 2) {
		(void)refuse_limit(e, "the disk would be too large");
		return NULL;
	}
	*entry = (struct gpt_entry){ .offset = end_of(g) };
	entry->size = round_up(size ? size : 1, g->sector_size);
	put_type(type, entry->type);
	memcpy(entry->uuid, uuid, UUID_SIZE);
	snprintf(entry->name, sizeof(entry->name), "%s", name);
	g->count++;
	return entry;
}

uint64_t gpt_disk_size(const struct gpt *g)
{
	return round_up(end_of(g) + TABLE_BYTES + g->sector_size, GPT_ALIGNMENT);
}

/* On the disk the first three groups of a UUID are little-endian. */
static void put_uuid(uint8_t *at, const uint8_t uuid[UUID_SIZE])
{
	static const uint8_t order[UUID_SIZE] = { 3, 2, 1,  0,  5,  4,  7,  6,
						  8, 9, 10, 11, 12, 13, 14, 15 };

	for (size_t i = 0; i < UUID_SIZE; i++)
		at[i] = uuid[order[i]];
}

static void put_entry(uint8_t *at, const struct gpt_entry *entry, uint32_t sector_size)
{
	put_uuid(at, entry->type);
	put_uuid(at + 16, entry->uuid);
	le_put(at + 32, 8, entry->offset / sector_size);
	le_put(at + 40, 8, (entry->offset + entry->size) / sector_size - 1);
	le_put(at + 48, 8, entry->attributes);
	for (size_t i = 0; entry->name[i]; i++)
		le_put(at + 56 + 2 * i, 2, (uint8_t)entry->name[i]);
}

/* As the firmware has it: the checksum is of the header with 0 in its own place. */
static void put_header(const struct gpt *g, const uint8_t table[TABLE_BYTES], uint64_t own,
		       uint64_t other, uint64_t table_at, uint8_t header[HEADER_SIZE])
{
	uint64_t table_sectors = TABLE_BYTES / g->sector_size;
	uint64_t sectors = gpt_disk_size(g) / g->sector_size;

	memset(header, 0, HEADER_SIZE);
	memcpy(header, "EFI PART", 8);
	le_put(header + 8, 4, REVISION);
	le_put(header + 12, 4, HEADER_SIZE);
	le_put(header + 24, 8, own);
	le_put(header + 32, 8, other);
	le_put(header + 40, 8, 2 + table_sectors);
	le_put(header + 48, 8, sectors - table_sectors - 2);
	put_uuid(header + 56, g->uuid);
	le_put(header + 72, 8, table_at);
	le_put(header + 80, 4, GPT_ENTRIES_MAX);
	le_put(header + 84, 4, ENTRY_SIZE);
	le_put(header + 88, 4, crc32(0, table, TABLE_BYTES));
	le_put(header + 16, 4, crc32(0, header, HEADER_SIZE));
}

/* One partition of type 0xee over all of the disk, or as much as 32 bits count. */
static void put_protective_mbr(uint8_t mbr[512], uint64_t sectors)
{
	static const uint8_t entry[12] = { 0, 0, 2, 0, 0xee, 0xff, 0xff, 0xff, 1, 0, 0, 0 };

	memset(mbr, 0, 512);
	memcpy(mbr + 446, entry, sizeof(entry));
	le_put(mbr + 458, 4, sectors - 1 > UINT32_MAX ? UINT32_MAX : sectors - 1);
	mbr[510] = 0x55;
	mbr[511] = 0xaa;
}

int gpt_write(const struct gpt *g, int fd, struct err *e)
{
	uint64_t size = gpt_disk_size(g), last = size / g->sector_size - 1;
	uint64_t copy = last - TABLE_BYTES / g->sector_size;
	uint8_t mbr[512], header[HEADER_SIZE];
	uint8_t *table = memory_zero(1, TABLE_BYTES);
	int r;

	for (unsigned int i = 0; i < g->count; i++)
		put_entry(table + i * ENTRY_SIZE, &g->entries[i], g->sector_size);
	put_protective_mbr(mbr, last + 1);
	r = ftruncate(fd, (off_t)size) ? -errno : write_all_at(fd, mbr, sizeof(mbr), 0);
	put_header(g, table, 1, last, 2, header);
	if (!r)
		r = write_all_at(fd, header, sizeof(header), g->sector_size);
	if (!r)
		r = write_all_at(fd, table, TABLE_BYTES, 2ULL * g->sector_size);
	put_header(g, table, last, 1, copy, header);
	if (!r)
		r = write_all_at(fd, header, sizeof(header), last * g->sector_size);
	if (!r)
		r = write_all_at(fd, table, TABLE_BYTES, copy * g->sector_size);
	free(table);
	return r ? system_result(e, r, "write the partition table") : 0;
}
