// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/oci/oci_source.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image-build/base/limits.h"
#include "image-build/base/memory.h"
#include "image-build/tree/name.h"
#include "image-build/base/output.h"
#include "image-build/base/refuse.h"
#include "image-build/base/write.h"
#include "lib/cleanup.h"
#include "lib/io.h"

int oci_source_open(struct oci_source *ret, const char *path, const char *scratch, struct err *e)
{
	struct oci_source s = { path, scratch, -1 };
	struct stat st;

	if (stat(path, &st))
		return system_failed(e, "%s", path);
	if (S_ISDIR(st.st_mode)) {
		s.directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (s.directory < 0)
			return system_failed(e, "open %s", path);
	} else if (!S_ISREG(st.st_mode)) {
		return refuse(e, "%s is neither a directory nor a file", path);
	}
	*ret = s;
	return 0;
}

void oci_source_close(struct oci_source *s)
{
	if (s->directory >= 0)
		close(s->directory);
	s->directory = -1;
}

/* Copy one member of a tar into a file of its own. */
static int copy_member(const struct oci_source *s, struct archive *a, struct err *e)
{
	int fd auto_fd = output_scratch(s->scratch, e);
	const void *bytes;
	la_int64_t offset;
	size_t size;
	int r;

	if (fd < 0)
		return fd;
	while ((r = archive_read_data_block(a, &bytes, &size, &offset)) == ARCHIVE_OK) {
		r = write_all_at(fd, bytes, size, (uint64_t)offset);
		if (r)
			return system_result(e, r, "write a temporary file in %s", s->scratch);
	}
	if (r != ARCHIVE_EOF)
		return refuse(e, "%s", archive_error_string(a));
	if (lseek(fd, 0, SEEK_SET))
		return system_failed(e, "rewind a temporary file");
	return steal_fd(&fd);
}

static int find_member(const struct oci_source *s, struct archive *a, const char *name,
		       struct err *e)
{
	struct archive_entry *entry;
	int r;

	while ((r = archive_read_next_header(a, &entry)) == ARCHIVE_OK || r == ARCHIVE_WARN) {
		const char *raw = archive_entry_pathname(entry);
		char clean[LIMIT_PATH + 1];

		if (raw && archive_entry_filetype(entry) == AE_IFREG &&
		    !name_clean(raw, clean, NULL) && !strcmp(clean, name))
			return copy_member(s, a, e);
	}
	if (r != ARCHIVE_EOF)
		return refuse(e, "damaged tar: %s", archive_error_string(a));
	return err_set(e, FAIL_VALUE_INVALID, ENOENT, "it has no file %s", name);
}

static int open_member(const struct oci_source *s, const char *name, struct err *e)
{
	struct archive *a = archive_read_new();
	int fd;

	archive_read_support_format_tar(a);
	if (archive_read_open_filename(a, s->path, 1 << 16) == ARCHIVE_OK)
		fd = find_member(s, a, name, e);
	else
		fd = refuse(e,
			    "not an OCI image layout: neither a directory nor an uncompressed tar");
	archive_read_free(a);
	return fd;
}

static int open_file(const struct oci_source *s, const char *name, struct err *e)
{
	int fd;

	if (s->directory < 0)
		return open_member(s, name, e);
	fd = openat(s->directory, name, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? system_failed(e, "%s", name) : fd;
}

int oci_source_text(const struct oci_source *s, const char *name, char **ret, size_t *ret_size,
		    struct err *e)
{
	int fd auto_fd = open_file(s, name, e);
	struct stat st;
	char *text;
	ssize_t n;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st))
		return system_failed(e, "%s", name);
	if (!S_ISREG(st.st_mode))
		return refuse(e, "%s is not a file", name);
	if (st.st_size > LIMIT_JSON_BYTES)
		return refuse_limit(e, "%s has %lld bytes, at most %d", name, (long long)st.st_size,
				    LIMIT_JSON_BYTES);
	text = memory_zero(1, (size_t)st.st_size + 1);
	n = io_read(fd, text, (size_t)st.st_size);
	if (n < 0) {
		free(text);
		return system_result(e, n, "read %s", name);
	}
	*ret = text;
	*ret_size = (size_t)n;
	return 0;
}

static void blob_name(const struct digest *d, char name[16 + DIGEST_TEXT_SIZE])
{
	char text[DIGEST_TEXT_SIZE];
	char *colon;

	digest_text(d, text);
	colon = strchr(text, ':');
	*colon = '/';
	memcpy(name, "blobs/", 6);
	memcpy(name + 6, text, strlen(text) + 1);
}

int oci_source_blob(const struct oci_source *s, const struct digest *d, struct err *e)
{
	char name[16 + DIGEST_TEXT_SIZE];

	blob_name(d, name);
	return open_file(s, name, e);
}
