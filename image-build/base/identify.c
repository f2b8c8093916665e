// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/base/identify.h"

#include <string.h>

#include "lib/array.h"
#include "mount/fs/erofs.h"

/* In this order: what is written inside of another thing's free space comes first. */
static const struct {
	enum image_kind kind;
	const char *name;
	size_t offset;
	size_t size;
	const char *magic;
} signatures[] = {
	{ IMAGE_EROFS, "erofs", EROFS_SUPERBLOCK_OFFSET, 4, "\xe2\xe1\xf5\xe0" },
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
	{ IMAGE_LZ4, "LZ4", 0, 4, "\x02\x21\x4c\x18" },
	{ IMAGE_ELF, "ELF file", 0, 4,
	  "\x7f"
	  "ELF" },
	{ IMAGE_GPT, "GPT disk", 512, 8, "EFI PART" },
	{ IMAGE_GPT, "GPT disk", 4096, 8, "EFI PART" },
	/* Linux/x86 boot protocol; such a kernel also has the MBR's two bytes. */
	{ IMAGE_KERNEL, "kernel image (bzImage)", 0x202, 4, "HdrS" },
	{ IMAGE_MBR, "MBR disk", 510, 2, "\x55\xaa" },
};

enum image_kind probe_kind(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < ARRAY_SIZE(signatures); i++)
		if (signatures[i].offset + signatures[i].size <= size &&
		    !memcmp(bytes + signatures[i].offset, signatures[i].magic, signatures[i].size))
			return signatures[i].kind;
	return IMAGE_UNKNOWN;
}

const char *probe_name(enum image_kind kind)
{
	for (size_t i = 0; i < ARRAY_SIZE(signatures); i++)
		if (signatures[i].kind == kind)
			return signatures[i].name;
	return "unknown";
}
