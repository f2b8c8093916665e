// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/diff/diff_attributes.h"

#include <inttypes.h>
#include <sys/stat.h>

#include "image-build/base/memory.h"

static const char *kind_of(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return "file";
	case S_IFDIR:
		return "directory";
	case S_IFLNK:
		return "symbolic link";
	case S_IFCHR:
		return "character device";
	case S_IFBLK:
		return "block device";
	case S_IFIFO:
		return "pipe";
	case S_IFSOCK:
		return "socket";
	default:
		return "unknown kind";
	}
}

char *attributes_text(const struct attributes *a)
{
	if (S_ISREG(a->mode))
		return memory_printf("file of %" PRIu64 " bytes", a->size);
	return memory_text(kind_of(a->mode));
}

static void diff_mode(const struct attributes *a, const struct attributes *b, const char *place,
		      struct differences *d)
{
	char *left auto_text = memory_printf("%04o", (unsigned int)a->mode & 07777);
	char *right auto_text = memory_printf("%04o", (unsigned int)b->mode & 07777);

	if (a->mode != b->mode)
		differences_add(d, place, "mode", left, right);
}

static char *time_text(const struct attributes *a)
{
	return memory_printf("%" PRId64 ".%09" PRIu32, a->mtime_sec, a->mtime_nsec);
}

static void diff_time(const struct attributes *a, const struct attributes *b, const char *place,
		      struct differences *d)
{
	char *left auto_text = time_text(a), *right auto_text = time_text(b);

	if (a->mtime_sec != b->mtime_sec || a->mtime_nsec != b->mtime_nsec)
		differences_add(d, place, "mtime", left, right);
}

static void diff_device(const struct attributes *a, const struct attributes *b, const char *place,
			struct differences *d)
{
	char *left auto_text =
		memory_printf("%" PRIu32 ":%" PRIu32, a->device_major, a->device_minor);
	char *right auto_text =
		memory_printf("%" PRIu32 ":%" PRIu32, b->device_major, b->device_minor);

	if (a->device_major != b->device_major || a->device_minor != b->device_minor)
		differences_add(d, place, "device", left, right);
}

bool diff_attributes(const struct attributes *a, const struct attributes *b, const char *place,
		     struct differences *d)
{
	if ((a->mode & S_IFMT) != (b->mode & S_IFMT)) {
		differences_add(d, place, "kind", kind_of(a->mode), kind_of(b->mode));
		return false;
	}
	diff_mode(a, b, place, d);
	differences_number(d, place, "uid", a->uid, b->uid);
	differences_number(d, place, "gid", a->gid, b->gid);
	diff_time(a, b, place, d);
	/* A directory's follow from what is in it. */
	if (!S_ISDIR(a->mode))
		differences_number(d, place, "links", a->links, b->links);
	if (S_ISREG(a->mode))
		differences_number(d, place, "size", a->size, b->size);
	if (S_ISCHR(a->mode) || S_ISBLK(a->mode))
		diff_device(a, b, place, d);
	return true;
}
