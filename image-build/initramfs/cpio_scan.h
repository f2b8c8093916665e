/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_INITRAMFS_CPIO_SCAN_H
#define IMAGE_BUILD_INITRAMFS_CPIO_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image-build/base/unpack.h"
#include "init/plan/marks.h"
#include "lib/err.h"

/*
 * What is in an initramfs, read as the kernel reads one (init/initramfs.c): any
 * number of cpio archives one after another, each packed or not, with zeroes
 * between them. The first trailer is not the end. Where the kernel would stop, or
 * pass over an entry without a word, so does this: with an error that says where.
 */
#define CPIO_SEGMENTS_MAX 64
#define CPIO_PLAIN_MAX    (2ULL << 30) /* bytes that one packed segment may unpack to */

struct cpio_segment {
	enum compression compression;
	uint64_t offset; /* in the file */
	uint64_t entries;
	uint64_t content_bytes;
};

struct cpio_facts {
	size_t count;
	struct cpio_segment segments[CPIO_SEGMENTS_MAX];
	bool has_init;                              /* some segment has /init */
	char begun[MARK_SIZE], complete[MARK_SIZE]; /* the last of each, or empty */
};

/*
 * A file's bytes in memory. -ENODATA where it does not begin as an initramfs,
 * -EINVAL where it is a damaged one; an archive of socle-image without its last
 * entry is one.
 */
int cpio_scan(const uint8_t *bytes, size_t size, struct cpio_facts *ret, struct err *e);

/* One entry, valid during the call alone. */
struct cpio_entry {
	const char *name;
	uint32_t mode, uid, gid, links, mtime, device_major, device_minor;
	const uint8_t *content; /* of a file, and a link's target */
	size_t size;
};

/* The same, and each entry is shown; a visitor that returns an error ends it. */
int cpio_scan_entries(const uint8_t *bytes, size_t size,
		      int (*visit)(const struct cpio_entry *entry, void *context, struct err *e),
		      void *context, struct cpio_facts *ret, struct err *e);

#endif
