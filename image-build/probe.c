// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/probe.h"

#include <errno.h>
#include <string.h>

#define EROFS_SUPERBLOCK 1024

/* In this order: what is written inside of another thing's free space comes first. */
static const struct {
	enum image_kind kind;
	const char *name;
	size_t offset;
	size_t size;
	const char *magic;
} signatures[] = {
	{ IMAGE_EROFS, "erofs", EROFS_SUPERBLOCK, 4, "\xe2\xe1\xf5\xe0" },
	{ IMAGE_SQUASHFS, "squashfs", 0, 4, "hsqs" },
	{ IMAGE_XFS, "xfs", 0, 4, "XFSB" },
	{ IMAGE_EXT4, "ext4", 1080, 2, "\x53\xef" },
	{ IMAGE_VERITY, "verity hash tree", 0, 8, "verity\0\0" },
	{ IMAGE_CPIO, "cpio archive", 0, 5, "07070" },
	{ IMAGE_TAR, "tar", 257, 5, "ustar" },
	{ IMAGE_GZIP, "gzip", 0, 2, "\x1f\x8b" },
	{ IMAGE_ZSTD, "zstd", 0, 4, "\x28\xb5\x2f\xfd" },
	{ IMAGE_XZ, "xz", 0, 6,
	  "\xfd"
	  "7zXZ\0" },
	{ IMAGE_ELF, "ELF file", 0, 4,
	  "\x7f"
	  "ELF" },
	{ IMAGE_GPT, "GPT disk", 512, 8, "EFI PART" },
	{ IMAGE_GPT, "GPT disk", 4096, 8, "EFI PART" },
	{ IMAGE_MBR, "MBR disk", 510, 2, "\x55\xaa" },
};

enum image_kind probe_kind(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < sizeof(signatures) / sizeof(signatures[0]); i++)
		if (signatures[i].offset + signatures[i].size <= size &&
		    !memcmp(bytes + signatures[i].offset, signatures[i].magic, signatures[i].size))
			return signatures[i].kind;
	return IMAGE_UNKNOWN;
}

const char *probe_name(enum image_kind kind)
{
	for (size_t i = 0; i < sizeof(signatures) / sizeof(signatures[0]); i++)
		if (signatures[i].kind == kind)
			return signatures[i].name;
	return "unknown";
}

static uint64_t get_le(const uint8_t *at, unsigned int size)
{
	uint64_t value = 0;

	for (unsigned int i = size; i > 0; i--)
		value = value << 8 | at[i - 1];
	return value;
}

int probe_erofs(const uint8_t *bytes, size_t size, struct erofs_facts *ret)
{
	const uint8_t *sb = bytes + EROFS_SUPERBLOCK;
	struct erofs_facts facts;

	if (size < EROFS_SUPERBLOCK + 128 || probe_kind(bytes, size) != IMAGE_EROFS)
		return -EINVAL;
	/* 512 bytes to 64 KiB. */
	if (sb[12] < 9 || sb[12] > 16)
		return -EINVAL;
	facts.block_size = 1U << sb[12];
	facts.inodes = get_le(sb + 16, 8);
	facts.blocks = get_le(sb + 36, 4);
	facts.size = facts.blocks * facts.block_size;
	memcpy(facts.uuid, sb + 48, UUID_SIZE);
	if (!facts.blocks)
		return -EINVAL;
	*ret = facts;
	return 0;
}
