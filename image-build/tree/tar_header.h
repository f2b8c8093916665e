/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_TREE_TAR_HEADER_H
#define IMAGE_BUILD_TREE_TAR_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

/*
 * One header block of a tar, in whichever dialect it is written. What a field
 * means where dialects or readers differ is what Go's archive/tar makes of it:
 * Docker's and containerd's images are written and read with that.
 * Sources: POSIX.1-2017, pax, "ustar Interchange Format"; GNU tar's manual,
 * "Basic Tar Format"; Go's archive/tar, format.go and reader.go.
 */
#define TAR_BLOCK 512

struct tar_ustar {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8];
	char type, link[100], magic[6], version[2], user[32], group[32];
	char device_major[8], device_minor[8], prefix[155], unused[12];
};

enum tar_dialect {
	TAR_V7,    /* no magic: no prefix, no device numbers */
	TAR_USTAR, /* "ustar\0", with pax headers as well */
	TAR_STAR,  /* the same, and "tar\0" at the end: a prefix of 131 bytes */
	TAR_GNU,   /* "ustar  \0": times and a sparse map where the prefix would be */
};

struct tar_header {
	enum tar_dialect dialect;
	char type;
	int64_t mode, uid, gid;
	int64_t size; /* bytes */
	int64_t mtime, device_major, device_minor;
	char name[155 + 1 + 100 + 1]; /* with its prefix */
	char link[100 + 1];
};

int tar_header_parse(const uint8_t block[TAR_BLOCK], struct tar_header *ret, struct err *e);

bool tar_block_is_zero(const uint8_t block[TAR_BLOCK]);

/*
 * A field's number: octal digits with blanks and NULs around them, or two's
 * complement where its first bit is set; 0 where it is empty.
 */
bool tar_number(const void *field, size_t size, int64_t *ret);

#endif
