/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DISK_GPT_H
#define IMAGE_BUILD_DISK_GPT_H

#include <stdint.h>

#include "lib/err.h"
#include "lib/uuid.h"

/*
 * A GUID partition table: laid out first, written when all partitions are known.
 * Source: UEFI specification, chapter 5.
 */
#define GPT_ENTRIES_MAX 128
#define GPT_NAME_MAX    36        /* characters */
#define GPT_ALIGNMENT   (1 << 20) /* bytes; where partitions start */
#define GPT_READ_ONLY   (1ULL << 60)
#define GPT_LINUX_DATA  "0fc63daf-8483-4772-8e79-3d69d8477de4"
#define GPT_EFI_SYSTEM  "c12a7328-f81f-11d2-ba4b-00a0c93ec93b"

struct gpt_entry {
	uint8_t type[UUID_SIZE], uuid[UUID_SIZE]; /* in the order of their texts */
	char name[GPT_NAME_MAX + 1];              /* ASCII */
	uint64_t attributes;
	uint64_t offset, size; /* bytes; whole sectors */
};

struct gpt {
	uint32_t sector_size; /* bytes; 512 or 4096 */
	uint8_t uuid[UUID_SIZE];
	unsigned int count;
	struct gpt_entry entries[GPT_ENTRIES_MAX];
};

/*
 * Put a partition of so many bytes behind the last one: rounded up to whole sectors,
 * aligned. type is a UUID's text. LIMIT_EXCEEDED for the 129th, or where the
 * disk would not fit into 63 bits. Returns the entry, NULL on failure.
 */
struct gpt_entry *gpt_add(struct gpt *g, const char *type, const uint8_t uuid[UUID_SIZE],
			  const char *name, uint64_t size, struct err *e);

/* How large the disk is, the copies of the table at its end included. */
uint64_t gpt_disk_size(const struct gpt *g);

/*
 * Write protective MBR, table and its copy, whose header is the last sector, and
 * make the file as large as the disk. What lies between is left as it is.
 */
int gpt_write(const struct gpt *g, int fd, struct err *e);

#endif
