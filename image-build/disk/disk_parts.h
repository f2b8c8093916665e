/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DISK_DISK_PARTS_H
#define IMAGE_BUILD_DISK_DISK_PARTS_H

#include "image-build/disk/disk_format.h"

/* What formats are written with. All sizes and places are bytes. */

/* Data and what fills the last block of it. */
uint64_t part_data_bytes(const struct disk_part *p);

/*
 * Say where the part's tree is on its hash device: at the first hash block from
 * hash_at on, behind a superblock or not. ret_end is the first byte behind it.
 */
int part_place_tree(struct disk_part *p, uint64_t hash_at, bool superblock, uint64_t *ret_end,
		    struct err *e);

/* The data, to a place in the disk. */
int part_write_data(const struct disk_part *p, int fd, uint64_t at, struct err *e);

/*
 * Superblock and tree as they were placed, into the hash device that begins at a
 * place in a file. A tree that the image had must come out again.
 */
int part_write_tree(struct disk_part *p, int fd, uint64_t at, bool superblock, struct err *e);

/* Data, superblock and tree behind each other: what a layer is. */
int part_write_sealed(struct disk_part *p, int fd, uint64_t at, struct err *e);

/* No file that is made here may be one that the disk is made of. */
int disk_not_input(const struct disk *d, const char *path, struct err *e);

/* One more file, ready when the disk is: the output's name with suffix behind it. */
int disk_file(struct disk *d, const char *suffix, struct output **ret, struct err *e);
int disk_text_file(struct disk *d, const char *suffix, const char *text, struct err *e);

/* "partitions" of the report. */
void disk_report_partition(struct disk *d, const char *name, const char *uuid, uint64_t offset,
			   uint64_t size);

/* Bytes that say "made from the parts' root hashes", other ones for each label. */
void disk_uuid(const struct disk *d, const char *label, uint8_t uuid[UUID_SIZE]);

/* The first unit at or behind n. */
uint64_t align_up(uint64_t n, uint64_t unit);

#endif
