/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_BASE_IDENTIFY_H
#define IMAGE_BUILD_BASE_IDENTIFY_H

#include <stddef.h>
#include <stdint.h>

#include "image-build/base/digest.h"

/* How many bytes from the beginning of a file tell what it is. */
#define PROBE_BYTES 8192

enum image_kind {
	IMAGE_UNKNOWN,
	IMAGE_EROFS,
	IMAGE_EXT4, /* or ext2, ext3 */
	IMAGE_SQUASHFS,
	IMAGE_XFS,
	IMAGE_GPT,
	IMAGE_MBR,
	IMAGE_VERITY, /* a hash device of its own */
	IMAGE_TAR,
	IMAGE_CPIO,
	IMAGE_GZIP,
	IMAGE_ZSTD,
	IMAGE_XZ,
	IMAGE_LZ4, /* as the kernel takes it */
	IMAGE_ELF,
	IMAGE_KERNEL, /* bzImage */
};

/* What the first size bytes say; pure. */
enum image_kind probe_kind(const uint8_t *bytes, size_t size);

/* "erofs", "GPT disk", … */
const char *probe_name(enum image_kind kind);

#endif
