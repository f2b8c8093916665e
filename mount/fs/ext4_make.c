// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/fs/ext4_make.h"

#include <string.h>

#include "lib/array.h"
#include "lib/crc32c.h"
#include "lib/io.h"
#include "lib/le.h"

#define BLOCK EXT4_BLOCK_SIZE

#define GROUP_BLOCKS    32768 /* as many as a bitmap of one block has bits */
#define GROUP_INODES    8192  /* one for each 16 KiB */
#define INODE_SIZE      256
#define TABLE_BLOCKS    (GROUP_INODES * INODE_SIZE / BLOCK)
#define DESCRIPTOR_SIZE 64
#define DESCRIPTORS     (BLOCK / DESCRIPTOR_SIZE) /* in a block */
#define GROUPS_MAX      524287                    /* inodes are counted in 32 bits */
#define LAST_GROUP_MIN  64 /* free blocks: a last group with less is left out */

#define ROOT_INODE      2
#define RESERVED_INODES 10

/* Of a group: what the kernel makes up by itself at the first use. */
#define INODE_UNINIT 1
#define BLOCK_UNINIT 2

#define SUPERBLOCK_OFFSET       1024 /* bytes */
#define SUPERBLOCK_SIZE         1024
#define SUPERBLOCK_UUID         0x68 /* and offsets of fields in it */
#define SUPERBLOCK_LABEL        0x78
#define SUPERBLOCK_HASH_SEED    0xec
#define SUPERBLOCK_CHECKSUM     0x3fc
#define INODE_CHECKSUM_LOW      0x7c
#define INODE_CHECKSUM_HIGH     0x82
#define DIRECTORY_TAIL_SIZE     12
#define DESCRIPTOR_CHECKSUM     0x1e
#define DESCRIPTOR_BLOCKS_SUM   0x18 /* the bitmaps' checksums: the lower halves, */
#define DESCRIPTOR_INODES_SUM   0x1a
#define DESCRIPTOR_UPPER_HALVES 0x20 /* and so much behind each the upper one */

/* A number of a structure on the disk. */
struct field {
	uint16_t offset_bytes;
	uint8_t size_bytes;
	uint64_t value;
};

/*
 * What is made: groups of blocks, each with its bitmaps and inodes at its start,
 * the first one behind the superblock and the descriptors of all groups.
 */
struct layout {
	int fd;
	uint64_t blocks;
	uint32_t groups;
	uint32_t descriptor_blocks;
	uint32_t seed; /* of all checksums but the superblock's */
	/* Of the bitmaps that are written: the first group's, and the last one's of blocks. */
	uint32_t first_blocks_sum, first_inodes_sum, last_blocks_sum;
};

static void put_fields(uint8_t *at, const struct field *fields, size_t count)
{
	for (size_t i = 0; i < count; i++)
		le_put(at + fields[i].offset_bytes, fields[i].size_bytes, fields[i].value);
}

static int put_block(const struct layout *l, uint64_t number, const uint8_t *block, struct err *e)
{
	int r = io_pwrite(l->fd, block, BLOCK, number * BLOCK);

	return r ? err_result(e, FAIL_SCRATCH_FAILED, r, "make a file system: write block %llu",
			      (unsigned long long)number) :
		   0;
}

/* Where the bitmap of its blocks is; those of its inodes and they themselves follow. */
static uint64_t group_start(const struct layout *l, uint32_t group)
{
	return (uint64_t)group * GROUP_BLOCKS + (group ? 0 : 1 + l->descriptor_blocks);
}

static uint32_t group_blocks(const struct layout *l, uint32_t group)
{
	return group + 1 < l->groups ? GROUP_BLOCKS :
				       (uint32_t)(l->blocks - (uint64_t)group * GROUP_BLOCKS);
}

/* Blocks at a group's start that are taken; of the first one also the root directory's. */
static uint32_t group_used(const struct layout *l, uint32_t group)
{
	return 2 + TABLE_BLOCKS + (group ? 0 : 1 + l->descriptor_blocks + 1);
}

static int lay_out(struct layout *l, uint64_t size_bytes, struct err *e)
{
	uint64_t most = (uint64_t)GROUPS_MAX * GROUP_BLOCKS;

	if (size_bytes < EXT4_MAKE_MIN)
		return err_set(e, FAIL_SCRATCH_FAILED, ENOSPC,
			       "%llu bytes are too few for a file system, at least %d are needed",
			       (unsigned long long)size_bytes, EXT4_MAKE_MIN);
	l->blocks = size_bytes / BLOCK < most ? size_bytes / BLOCK : most;
	l->groups = (uint32_t)((l->blocks + GROUP_BLOCKS - 1) / GROUP_BLOCKS);
	l->descriptor_blocks = (l->groups + DESCRIPTORS - 1) / DESCRIPTORS;
	if (l->groups > 1 &&
	    group_blocks(l, l->groups - 1) < group_used(l, l->groups - 1) + LAST_GROUP_MIN) {
		l->groups--;
		l->blocks = (uint64_t)l->groups * GROUP_BLOCKS;
		l->descriptor_blocks = (l->groups + DESCRIPTORS - 1) / DESCRIPTORS;
	}
	return 0;
}

/* What is at the start of a group is taken, and so is what lies behind its end. */
static void fill_bitmap(uint8_t *block, uint32_t used, uint32_t bits)
{
	memset(block, 0, BLOCK);
	for (uint32_t bit = 0; bit < GROUP_BLOCKS; bit++)
		if (bit < used || bit >= bits)
			block[bit / 8] |= (uint8_t)(1 << bit % 8);
}

static int put_bitmaps(struct layout *l, uint8_t *block, struct err *e)
{
	uint32_t last = l->groups - 1;
	int r;

	fill_bitmap(block, group_used(l, 0), group_blocks(l, 0));
	l->first_blocks_sum = crc32c_of(l->seed, block, BLOCK);
	r = put_block(l, group_start(l, 0), block, e);
	if (r)
		return r;
	fill_bitmap(block, RESERVED_INODES, GROUP_INODES);
	l->first_inodes_sum = crc32c_of(l->seed, block, GROUP_INODES / 8);
	r = put_block(l, group_start(l, 0) + 1, block, e);
	if (r || !last)
		return r;
	/* The kernel knows where a group ends, but no tool marks the last one as unwritten. */
	fill_bitmap(block, group_used(l, last), group_blocks(l, last));
	l->last_blocks_sum = crc32c_of(l->seed, block, BLOCK);
	return put_block(l, group_start(l, last), block, e);
}

/* What the checksums of an inode and of what belongs to it begin with. */
static uint32_t inode_seed(const struct layout *l, uint32_t number)
{
	uint8_t text[8] = { 0 }; /* and its generation */

	le_put(text, 4, number);
	return crc32c_of(l->seed, text, sizeof(text));
}

static int put_root(const struct layout *l, uint8_t *block, struct err *e)
{
	const uint64_t at = group_start(l, 0) + 2 + TABLE_BLOCKS;
	const struct field inode[] = {
		{ 0x00, 2, 040755 },          /* i_mode */
		{ 0x04, 4, BLOCK },           /* i_size_lo */
		{ 0x1a, 2, 2 },               /* i_links_count */
		{ 0x1c, 4, BLOCK / 512 },     /* i_blocks_lo */
		{ 0x20, 4, 0x80000 },         /* i_flags: extents */
		{ 0x28, 2, 0xf30a },          /* eh_magic */
		{ 0x2a, 2, 1 },               /* eh_entries */
		{ 0x2c, 2, 4 },               /* eh_max */
		{ 0x38, 2, 1 },               /* ee_len */
		{ 0x3a, 2, at >> 32 },        /* ee_start_hi */
		{ 0x3c, 4, at & 0xffffffff }, /* ee_start_lo */
		{ 0x80, 2, 32 },              /* i_extra_isize */
	};
	const struct field entries[] = {
		{ 0, 4, ROOT_INODE },
		{ 4, 2, 12 }, /* rec_len */
		{ 6, 1, 1 },  /* name_len */
		{ 7, 1, 2 },  /* file_type: a directory */
		{ 8, 1, '.' },
		{ 12, 4, ROOT_INODE },
		{ 16, 2, BLOCK - 12 - DIRECTORY_TAIL_SIZE },
		{ 18, 1, 2 },
		{ 19, 1, 2 },
		{ 20, 2, '.' << 8 | '.' },
		{ BLOCK - 8, 2, DIRECTORY_TAIL_SIZE },
		{ BLOCK - 5, 1, 0xde }, /* det_reserved_ft */
	};
	uint8_t *root = block + (ROOT_INODE - 1) * INODE_SIZE;
	uint32_t seed = inode_seed(l, ROOT_INODE), sum;
	int r;

	memset(block, 0, BLOCK);
	put_fields(root, inode, ARRAY_SIZE(inode));
	sum = crc32c_of(seed, root, INODE_SIZE);
	le_put(root + INODE_CHECKSUM_LOW, 2, sum);
	le_put(root + INODE_CHECKSUM_HIGH, 2, sum >> 16);
	r = put_block(l, group_start(l, 0) + 2, block, e);
	if (r)
		return r;
	memset(block, 0, BLOCK);
	put_fields(block, entries, ARRAY_SIZE(entries));
	le_put(block + BLOCK - 4, 4, crc32c_of(seed, block, BLOCK - DIRECTORY_TAIL_SIZE));
	return put_block(l, at, block, e);
}

static void put_sum(uint8_t *descriptor, size_t offset_bytes, uint32_t sum)
{
	le_put(descriptor + offset_bytes, 2, sum);
	le_put(descriptor + offset_bytes + DESCRIPTOR_UPPER_HALVES, 2, sum >> 16);
}

static void fill_descriptor(const struct layout *l, uint32_t group, uint8_t *at)
{
	const uint64_t start = group_start(l, group);
	const uint32_t last = l->groups - 1;
	const uint32_t inodes = GROUP_INODES - (group ? 0 : RESERVED_INODES);
	const uint32_t flags = group ? INODE_UNINIT | (group == last ? 0 : BLOCK_UNINIT) : 0;
	const struct field fields[] = {
		{ 0x00, 4, start & 0xffffffff },                            /* bg_block_bitmap_lo */
		{ 0x04, 4, (start + 1) & 0xffffffff },                      /* bg_inode_bitmap_lo */
		{ 0x08, 4, (start + 2) & 0xffffffff },                      /* bg_inode_table_lo */
		{ 0x0c, 2, group_blocks(l, group) - group_used(l, group) }, /* free blocks */
		{ 0x0e, 2, inodes },      /* bg_free_inodes_count_lo */
		{ 0x10, 2, group == 0 },  /* bg_used_dirs_count_lo */
		{ 0x12, 2, flags },       /* bg_flags */
		{ 0x1c, 2, inodes },      /* bg_itable_unused_lo */
		{ 0x20, 4, start >> 32 }, /* the upper halves of the first three */
		{ 0x24, 4, (start + 1) >> 32 },
		{ 0x28, 4, (start + 2) >> 32 },
	};
	uint8_t number[4];

	put_fields(at, fields, ARRAY_SIZE(fields));
	if (!group) {
		put_sum(at, DESCRIPTOR_BLOCKS_SUM, l->first_blocks_sum);
		put_sum(at, DESCRIPTOR_INODES_SUM, l->first_inodes_sum);
	} else if (group == last) {
		put_sum(at, DESCRIPTOR_BLOCKS_SUM, l->last_blocks_sum);
	}
	le_put(number, sizeof(number), group);
	le_put(at + DESCRIPTOR_CHECKSUM, 2,
	       crc32c_of(crc32c_of(l->seed, number, sizeof(number)), at, DESCRIPTOR_SIZE));
}

static int put_descriptors(const struct layout *l, uint8_t *block, struct err *e)
{
	int r = 0;

	for (uint32_t i = 0; !r && i < l->descriptor_blocks; i++) {
		memset(block, 0, BLOCK);
		for (uint32_t k = 0; k < DESCRIPTORS && i * DESCRIPTORS + k < l->groups; k++)
			fill_descriptor(l, i * DESCRIPTORS + k, block + k * DESCRIPTOR_SIZE);
		r = put_block(l, 1 + i, block, e);
	}
	return r;
}

/* What is the same for each of them. */
static const struct field superblock_fields[] = {
	{ 0x18, 4, 2 },                   /* s_log_block_size: 4096 */
	{ 0x1c, 4, 2 },                   /* s_log_cluster_size */
	{ 0x20, 4, GROUP_BLOCKS },        /* s_blocks_per_group */
	{ 0x24, 4, GROUP_BLOCKS },        /* s_clusters_per_group */
	{ 0x28, 4, GROUP_INODES },        /* s_inodes_per_group */
	{ 0x36, 2, 0xffff },              /* s_max_mnt_count: no limit */
	{ 0x38, 2, 0xef53 },              /* s_magic */
	{ 0x3a, 2, 1 },                   /* s_state: clean */
	{ 0x3c, 2, 2 },                   /* s_errors: go on read-only */
	{ 0x4c, 4, 1 },                   /* s_rev_level */
	{ 0x54, 4, RESERVED_INODES + 1 }, /* s_first_ino */
	{ 0x58, 2, INODE_SIZE },          /* s_inode_size */
	/* ext_attr, dir_index, and sparse_super2 with no group for a copy */
	{ 0x5c, 4, 0x8 | 0x20 | 0x200 },
	/* filetype, extents, 64bit */
	{ 0x60, 4, 0x2 | 0x40 | 0x80 },
	/* large_file, huge_file, dir_nlink, extra_isize, metadata_csum */
	{ 0x64, 4, 0x2 | 0x8 | 0x20 | 0x40 | 0x400 },
	{ 0xfc, 1, 1 },  /* s_def_hash_version: half MD4, */
	{ 0x160, 4, 1 }, /* s_flags: of signed characters */
	{ 0xfe, 2, DESCRIPTOR_SIZE },
	{ 0x100, 4, 0x4 | 0x8 }, /* s_default_mount_opts: user_xattr, acl */
	{ 0x15c, 2, 32 },        /* s_min_extra_isize */
	{ 0x15e, 2, 32 },        /* s_want_extra_isize */
	{ 0x175, 1, 1 },         /* s_checksum_type: CRC32C */
};

static int put_superblock(const struct layout *l, const char *label,
			  const uint8_t random[EXT4_RANDOM_SIZE], uint8_t *block, struct err *e)
{
	const uint64_t inodes = (uint64_t)l->groups * GROUP_INODES;
	uint64_t free = 0;
	uint8_t *sb = block + SUPERBLOCK_OFFSET;

	for (uint32_t i = 0; i < l->groups; i++)
		free += group_blocks(l, i) - group_used(l, i);
	memset(block, 0, BLOCK);
	put_fields(sb, superblock_fields, ARRAY_SIZE(superblock_fields));
	le_put(sb + 0x00, 4, inodes);
	le_put(sb + 0x04, 4, l->blocks);
	le_put(sb + 0x0c, 4, free);
	le_put(sb + 0x10, 4, inodes - RESERVED_INODES);
	le_put(sb + 0x150, 4, l->blocks >> 32);
	le_put(sb + 0x158, 4, free >> 32);
	memcpy(sb + SUPERBLOCK_UUID, random, 16);
	memcpy(sb + SUPERBLOCK_HASH_SEED, random + 16, 16);
	memcpy(sb + SUPERBLOCK_LABEL, label, strnlen(label, EXT4_LABEL_SIZE));
	le_put(sb + SUPERBLOCK_CHECKSUM, 4, crc32c_of(~0U, sb, SUPERBLOCK_CHECKSUM));
	return put_block(l, 0, block, e);
}

int ext4_make(int fd, uint64_t size_bytes, const char *label,
	      const uint8_t random[EXT4_RANDOM_SIZE], struct err *e)
{
	struct layout l = { .fd = fd, .seed = crc32c_of(~0U, random, 16) };
	_Alignas(BLOCK) uint8_t block[BLOCK];
	int r = lay_out(&l, size_bytes, e);

	if (!r)
		r = put_bitmaps(&l, block, e);
	if (!r)
		r = put_root(&l, block, e);
	if (!r)
		r = put_descriptors(&l, block, e);
	return r ? r : put_superblock(&l, label, random, block, e);
}

int ext4_is_ours(const uint8_t *block, const char *label)
{
	const uint8_t *sb = block + SUPERBLOCK_OFFSET;
	char name[EXT4_LABEL_SIZE] = { 0 };

	memcpy(name, label, strnlen(label, sizeof(name)));
	if (memcmp(sb + SUPERBLOCK_LABEL, name, sizeof(name)))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(superblock_fields); i++) {
		const struct field *f = &superblock_fields[i];

		/* The state is another one while it is mounted. */
		if (f->offset_bytes != 0x3a &&
		    le_get(sb + f->offset_bytes, f->size_bytes) != f->value)
			return 0;
	}
	return 1;
}
