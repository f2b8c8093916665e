// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/oci/tar_member.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "image-build/base/output.h"
#include "image-build/base/refuse.h"
#include "image-build/base/write.h"
#include "image-build/tree/name.h"
#include "lib/cleanup.h"

#define LINKS_MAX 8

/* What one reading of the tar found of a name. */
struct member {
	unsigned int count;
	int fd;                    /* its content; -1 */
	char link[LIMIT_PATH + 1]; /* or the name that it stands for; "" */
};

static void cleanup_archive(struct archive **a)
{
	archive_read_free(*a);
}

#define auto_archive __attribute__((cleanup(cleanup_archive)))

static int copy_content(const char *scratch, struct archive *a, struct err *e)
{
	int fd auto_fd = output_scratch(scratch, e);
	const void *bytes;
	la_int64_t offset;
	size_t size;
	int r;

	if (fd < 0)
		return fd;
	while ((r = archive_read_data_block(a, &bytes, &size, &offset)) == ARCHIVE_OK) {
		r = write_all_at(fd, bytes, size, (uint64_t)offset);
		if (r)
			return system_result(e, r, "write a temporary file in %s", scratch);
	}
	if (r != ARCHIVE_EOF)
		return refuse(e, "%s", archive_error_string(a));
	if (lseek(fd, 0, SEEK_SET))
		return system_failed(e, "rewind a temporary file");
	return steal_fd(&fd);
}

/* A symbolic link's target, from the directory of its name: ".." goes up, not out. */
static int follow(const char *name, const char *target, char ret[LIMIT_PATH + 1], struct err *e)
{
	char path[LIMIT_PATH + 1] = "", copy[LIMIT_PATH + 1], *rest = copy, *component;
	const char *slash = strrchr(name, '/');

	if (slash)
		snprintf(path, sizeof(path), "%.*s", (int)(slash - name), name);
	snprintf(copy, sizeof(copy), "%s", target);
	while ((component = strsep(&rest, "/"))) {
		size_t used = strlen(path);
		char *up = strrchr(path, '/');

		if (!*component || !strcmp(component, "."))
			continue;
		if (strcmp(component, "..")) {
			snprintf(path + used, sizeof(path) - used, "%s%s", used ? "/" : "",
				 component);
		} else if (!used) {
			return refuse(e, "the link %.100s leads out of the archive", name);
		} else {
			*(up ? up : path) = '\0';
		}
	}
	memcpy(ret, path, sizeof(path));
	return 0;
}

static int take_entry(const char *scratch, struct archive *a, struct archive_entry *entry,
		      const char *name, struct member *m, struct err *e)
{
	const char *hard = archive_entry_hardlink(entry), *symbolic = archive_entry_symlink(entry);

	if (archive_entry_filetype(entry) == AE_IFDIR)
		return 0;
	if (m->count++)
		return refuse(e, "two members of the name %.100s", name);
	if (hard)
		return name_clean(hard, m->link, e);
	if (symbolic)
		return follow(name, symbolic, m->link, e);
	if (archive_entry_filetype(entry) != AE_IFREG)
		return refuse(e, "%.100s is not a file", name);
	m->fd = copy_content(scratch, a, e);
	return m->fd < 0 ? m->fd : 0;
}

static int read_archive(const char *path, const char *scratch, const char *name, struct member *m,
			struct err *e)
{
	struct archive *a auto_archive = archive_read_new();
	struct archive_entry *entry;
	int r;

	archive_read_support_format_tar(a);
	if (archive_read_open_filename(a, path, 1 << 16) != ARCHIVE_OK)
		return refuse(e, "%s", archive_error_string(a));
	while ((r = archive_read_next_header(a, &entry)) == ARCHIVE_OK || r == ARCHIVE_WARN) {
		const char *raw = archive_entry_pathname(entry);
		char clean[LIMIT_PATH + 1];

		if (!raw || name_clean(raw, clean, NULL) || strcmp(clean, name))
			continue;
		r = take_entry(scratch, a, entry, name, m, e);
		if (r)
			return r;
	}
	return r == ARCHIVE_EOF ? 0 : refuse(e, "damaged tar: %s", archive_error_string(a));
}

int tar_member_open(const char *path, const char *scratch, const char *name, struct err *e)
{
	char wanted[LIMIT_PATH + 1];

	snprintf(wanted, sizeof(wanted), "%s", name);
	for (int links = 0; links <= LINKS_MAX; links++) {
		struct member m = { .fd = -1 };
		int r = read_archive(path, scratch, wanted, &m, e);

		if (r) {
			if (m.fd >= 0)
				close(m.fd);
			return r;
		}
		if (!m.count)
			return err_set(e, FAIL_VALUE_INVALID, ENOENT, "it has no file %s", wanted);
		if (m.fd >= 0)
			return m.fd;
		memcpy(wanted, m.link, sizeof(wanted));
	}
	return refuse(e, "%.100s: more than %d links", name, LINKS_MAX);
}
