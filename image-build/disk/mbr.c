// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/disk/mbr.h"

#include "image-build/base/refuse.h"
#include "image-build/base/write.h"
#include "lib/le.h"

#define AT_SIGNATURE 440
#define AT_ENTRIES   446
#define ENTRY_SIZE   16
#define ACTIVE       0x80

/* Cylinders, heads and sectors count nowhere any more: "beyond what they can say". */
static void put_chs(uint8_t at[3])
{
	at[0] = 0xfe;
	at[1] = at[2] = 0xff;
}

int mbr_write(const struct mbr *m, int fd, uint64_t at, struct err *e)
{
	uint8_t table[MBR_SECTOR] = { 0 };
	int r;

	le_put(table + AT_SIGNATURE, 4, m->signature);
	for (size_t i = 0; i < m->count; i++) {
		const struct mbr_entry *entry = &m->entries[i];
		uint8_t *to = table + AT_ENTRIES + i * ENTRY_SIZE;

		if ((entry->offset + entry->size) / MBR_SECTOR > UINT32_MAX)
			return refuse_limit(e,
					    "partition %zu ends beyond 2 TiB, where an MBR "
					    "cannot say so",
					    i + 1);
		to[0] = i ? 0 : ACTIVE;
		put_chs(to + 1);
		to[4] = MBR_LINUX;
		put_chs(to + 5);
		le_put(to + 8, 4, entry->offset / MBR_SECTOR);
		le_put(to + 12, 4, entry->size / MBR_SECTOR);
	}
	table[510] = 0x55;
	table[511] = 0xaa;
	r = write_all_at(fd, table, sizeof(table), at);
	return r ? system_result(e, r, "write the partition table") : 0;
}
