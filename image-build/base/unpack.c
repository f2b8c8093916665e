// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/base/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>

#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"

#define CHUNK (128 << 10)

static void cleanup_archive(struct archive **a)
{
	archive_read_free(*a);
}

#define auto_archive __attribute__((cleanup(cleanup_archive)))

static const char *reason(struct archive *a)
{
	return archive_error_string(a) ? archive_error_string(a) : "unknown error";
}

int unpack_file(const char *path, uint64_t max, struct spool *s, struct content *ret,
		uint64_t *ret_size, struct err *e)
{
	struct archive *a auto_archive = archive_read_new();
	char *buf auto_text = memory_zero(1, CHUNK);
	struct archive_entry *entry;
	struct content content = { .count = 0 };
	uint64_t size = 0;
	la_ssize_t n;
	int r = 0;

	archive_read_support_format_raw(a);
	archive_read_support_format_empty(a);
	archive_read_support_filter_gzip(a);
	archive_read_support_filter_xz(a);
	archive_read_support_filter_zstd(a);
	if (archive_read_open_filename(a, path, CHUNK) != ARCHIVE_OK)
		return refuse(e, "%s: %s", path, reason(a));
	n = archive_read_next_header(a, &entry);
	if (n != ARCHIVE_OK && n != ARCHIVE_EOF)
		return refuse(e, "%s: %s", path, reason(a));
	while (n != ARCHIVE_EOF && !r && (n = archive_read_data(a, buf, CHUNK)) > 0) {
		r = content_add(&content, s, buf, (size_t)n, size, e);
		size += (uint64_t)n;
		if (!r && size > max)
			r = refuse_limit(e, "%s unpacks to more than %llu bytes", path,
					 (unsigned long long)max);
	}
	if (!r && n < 0)
		r = refuse(e, "%s: %s", path, reason(a));
	if (r) {
		free(content.extents);
		return r;
	}
	*ret = content;
	*ret_size = size;
	return 0;
}
