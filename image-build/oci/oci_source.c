// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/oci/oci_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image-build/base/identify.h"
#include "image-build/base/limits.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/oci/tar_member.h"
#include "image-build/base/write.h"
#include "lib/cleanup.h"
#include "lib/io.h"

/* The first bytes of a packed archive say why it cannot be read. */
static int check_plain(const char *path, struct err *e)
{
	int fd auto_fd = open(path, O_RDONLY | O_CLOEXEC);
	uint8_t head[PROBE_BYTES];
	ssize_t n = fd < 0 ? -errno : io_pread(fd, head, sizeof(head), 0);
	enum image_kind kind = n < 0 ? IMAGE_UNKNOWN : probe_kind(head, (size_t)n);

	if (n < 0)
		return system_result(e, n, "read %s", path);
	if (kind == IMAGE_GZIP || kind == IMAGE_ZSTD || kind == IMAGE_XZ)
		return refuse(e, "%s: it is packed with %s; unpack it first", path,
			      probe_name(kind));
	return 0;
}

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
	} else {
		int r = check_plain(path, e);

		if (r)
			return r;
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

static int open_in_directory(const struct oci_source *s, const char *name, struct err *e)
{
	int fd auto_fd = openat(s->directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return system_failed(e, "%s", name);
	if (!S_ISREG(st.st_mode))
		return refuse(e, "%s is not a file", name);
	return steal_fd(&fd);
}

int oci_source_file(const struct oci_source *s, const char *name, struct err *e)
{
	return s->directory < 0 ? tar_member_open(s->path, s->scratch, name, e) :
				  open_in_directory(s, name, e);
}

int oci_source_text(const struct oci_source *s, const char *name, char **ret, size_t *ret_size,
		    struct err *e)
{
	int fd auto_fd = oci_source_file(s, name, e);
	struct stat st;
	char *text;
	ssize_t n;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st))
		return system_failed(e, "%s", name);
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
