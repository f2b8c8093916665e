/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef TESTS_UNIT_FAKE_DISK_H
#define TESTS_UNIT_FAKE_DISK_H

#include <stddef.h>
#include <stdint.h>

/*
 * Bytes of disks: just enough of each format for its superblock to be known.
 * Every function writes into a disk of DISK_SIZE bytes at an offset.
 */
#define DISK_SIZE 65536

void disk_erofs(uint8_t *disk, size_t offset, const char *label, uint8_t uuid_byte);
void disk_squashfs(uint8_t *disk, size_t offset);
void disk_ext4(uint8_t *disk, size_t offset, const char *label, uint8_t uuid_byte);
void disk_xfs(uint8_t *disk, size_t offset, const char *label, uint8_t uuid_byte);

/*
 * A GPT with partitions of 16 sectors, the first at sector 40; a partition's
 * id is made of its number (byte 15) and id_byte (byte 0).
 */
#define DISK_PARTITION_START(number) ((40 + 16 * ((size_t)(number)-1)) * 512)
void disk_gpt(uint8_t *disk, const char *const *labels, size_t count, uint8_t id_byte);

/* An MBR with one partition at sector 40 and this disk signature. */
void disk_mbr(uint8_t *disk, uint32_t signature);

#endif
