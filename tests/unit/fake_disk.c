// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/fake_disk.h"

#include <string.h>

/* GPT's CRC-32, in every sysroot. */
static uint32_t crc32(const uint8_t *bytes, size_t size)
{
	uint32_t crc = 0xffffffff;

	for (size_t i = 0; i < size; i++) {
		crc ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return ~crc;
}

static void put_le(uint8_t *at, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> (8 * i));
}

static void put_be(uint8_t *at, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		at[size - 1 - i] = (uint8_t)(value >> (8 * i));
}

/* struct erofs_super_block, fs/erofs/erofs_fs.h */
void disk_erofs(uint8_t *disk, size_t offset, const char *label, uint8_t uuid_byte)
{
	uint8_t *sb = disk + offset + 1024;

	put_le(sb, 0xe0f5e1e2, 4);
	sb[12] = 12;           /* blkszbits */
	put_le(sb + 36, 1, 4); /* blocks */
	memset(sb + 48, uuid_byte, 16);
	memcpy(sb + 64, label, strlen(label));
}

/* struct squashfs_super_block, fs/squashfs/squashfs_fs.h */
void disk_squashfs(uint8_t *disk, size_t offset)
{
	uint8_t *sb = disk + offset;

	memcpy(sb, "hsqs", 4);
	put_le(sb + 12, 131072, 4); /* block size */
	put_le(sb + 22, 17, 2);     /* its logarithm */
	put_le(sb + 28, 4, 2);      /* major version */
	put_le(sb + 40, 4096, 8);   /* bytes used */
}

/* struct ext4_super_block, fs/ext4/ext4.h */
void disk_ext4(uint8_t *disk, size_t offset, const char *label, uint8_t uuid_byte)
{
	uint8_t *sb = disk + offset + 1024;

	put_le(sb + 0x04, 8, 4); /* blocks */
	put_le(sb + 0x38, 0xef53, 2);
	put_le(sb + 0x4c, 1, 4);    /* dynamic revision */
	put_le(sb + 0x60, 0x40, 4); /* extents: no ext3 */
	memset(sb + 0x68, uuid_byte, 16);
	memcpy(sb + 0x78, label, strlen(label));
}

/* struct xfs_dsb, fs/xfs/libxfs/xfs_format.h; the smallest that libblkid believes */
void disk_xfs(uint8_t *disk, size_t offset, const char *label, uint8_t uuid_byte)
{
	uint8_t *sb = disk + offset;

	memcpy(sb, "XFSB", 4);
	put_be(sb + 4, 4096, 4);  /* block size */
	put_be(sb + 8, 65536, 8); /* blocks */
	memset(sb + 32, uuid_byte, 16);
	put_be(sb + 80, 4, 4);     /* realtime extent */
	put_be(sb + 84, 16384, 4); /* blocks of an allocation group */
	put_be(sb + 88, 4, 4);     /* groups */
	put_be(sb + 96, 1200, 4);  /* log blocks */
	put_be(sb + 100, 4, 2);    /* version */
	put_be(sb + 102, 512, 2);  /* sector */
	put_be(sb + 104, 512, 2);  /* inode */
	put_be(sb + 106, 8, 2);    /* inodes in a block */
	memcpy(sb + 108, label, strlen(label));
	sb[120] = 12; /* logarithms: block, sector, inode, inodes in a block, group */
	sb[121] = 9;
	sb[122] = 9;
	sb[123] = 3;
	sb[124] = 14;
	sb[127] = 25; /* most space for inodes, per cent */
}

#define ENTRIES      128
#define ENTRY_SIZE   128
#define LAST_SECTOR  (DISK_SIZE / 512 - 1)
#define TABLE_SECTOR 2
#define FIRST_USABLE 34

static void put_entry(uint8_t *entry, const char *label, size_t number, uint8_t id_byte)
{
	uint64_t first = DISK_PARTITION_START(number) / 512;

	/* Linux data: 0fc63daf-8483-4772-8e79-3d69d8477de4 */
	memcpy(entry, "\xaf\x3d\xc6\x0f\x83\x84\x72\x47\x8e\x79\x3d\x69\xd8\x47\x7d\xe4", 16);
	entry[16] = id_byte;
	entry[31] = (uint8_t)number;
	put_le(entry + 32, first, 8);
	put_le(entry + 40, first + 15, 8);
	for (size_t i = 0; label[i]; i++)
		put_le(entry + 56 + 2 * i, (uint8_t)label[i], 2);
}

static void put_header(uint8_t *disk, uint64_t sector, uint64_t other, const uint8_t *table)
{
	uint8_t *header = disk + sector * 512;

	memcpy(header, "EFI PART\0\0\1\0\x5c\0\0\0", 16);
	put_le(header + 24, sector, 8);
	put_le(header + 32, other, 8);
	put_le(header + 40, FIRST_USABLE, 8);
	put_le(header + 48, LAST_SECTOR - 1, 8);
	memset(header + 56, 0xdd, 16);
	put_le(header + 72, TABLE_SECTOR, 8);
	put_le(header + 80, ENTRIES, 4);
	put_le(header + 84, ENTRY_SIZE, 4);
	put_le(header + 88, crc32(table, ENTRIES * ENTRY_SIZE), 4);
	put_le(header + 16, 0, 4);
	put_le(header + 16, crc32(header, 92), 4);
}

void disk_gpt(uint8_t *disk, const char *const *labels, size_t count, uint8_t id_byte)
{
	uint8_t *table = disk + TABLE_SECTOR * 512, *mbr = disk + 446;

	for (size_t i = 0; i < count; i++)
		put_entry(table + i * ENTRY_SIZE, labels[i], i + 1, id_byte);
	put_header(disk, 1, LAST_SECTOR, table);
	mbr[4] = 0xee;
	put_le(mbr + 8, 1, 4);
	put_le(mbr + 12, LAST_SECTOR, 4);
	put_le(disk + 510, 0xaa55, 2);
}

void disk_mbr(uint8_t *disk, uint32_t signature)
{
	uint8_t *entry = disk + 446;

	put_le(disk + 440, signature, 4);
	entry[4] = 0x83;
	put_le(entry + 8, 40, 4);
	put_le(entry + 12, 16, 4);
	put_le(disk + 510, 0xaa55, 2);
}
