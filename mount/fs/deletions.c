// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/fs/deletions.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/text.h"

/* As much of a path as a sentence has room for. */
#define SHOWN_SIZE 320

struct walk {
	DIR *dirs[DELETIONS_DEPTH_MAX];
	size_t ends[DELETIONS_DEPTH_MAX]; /* of each directory's path in shown */
	size_t depth;
	unsigned long entries, entries_max;
	char shown[SHOWN_SIZE];
};

static int read_failed(const char *path, struct err *e)
{
	return err_errno(e, FAIL_DEVICE_READ_FAILED, "look for deletions in %s", path);
}

/* The path of a name of the innermost directory. */
static const char *show(struct walk *w, const char *name)
{
	size_t end = w->depth ? w->ends[w->depth - 1] : 0;

	snprintf(w->shown + end, sizeof(w->shown) - end, "/%s", name);
	return w->shown;
}

static int enter(struct walk *w, int parent, const char *name, struct err *e)
{
	int fd;

	if (w->depth == DELETIONS_DEPTH_MAX)
		return err_set(e, FAIL_LIMIT_EXCEEDED, ELOOP,
			       "a layer has more than %d directories below each other",
			       DELETIONS_DEPTH_MAX);
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return read_failed(w->shown, e);
	w->dirs[w->depth] = fdopendir(fd);
	if (!w->dirs[w->depth]) {
		int r = read_failed(w->shown, e);

		close(fd);
		return r;
	}
	w->ends[w->depth++] = strlen(w->shown);
	return 0;
}

static void leave(struct walk *w)
{
	closedir(w->dirs[--w->depth]);
}

/* A kind that a file system does not tell with the name is asked for. */
static bool is_directory(DIR *dir, const struct dirent *entry)
{
	struct stat st;

	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_DIR;
	return !fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR(st.st_mode);
}

static int look_at(struct walk *w, DIR *dir, const struct dirent *entry, struct err *e)
{
	const char *name = entry->d_name;

	if (!strcmp(name, ".") || !strcmp(name, ".."))
		return 0;
	if (++w->entries > w->entries_max)
		return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG, "a layer has more than %lu names",
			       w->entries_max);
	if (text_behind(name, ".wh."))
		return err_set(e, FAIL_DELETIONS_IGNORED, EINVAL,
			       "it deletes by a file called %s, which an overlay does not know: "
			       "what is deleted would come back",
			       show(w, name));
	if (!is_directory(dir, entry))
		return 0;
	show(w, name);
	return enter(w, dirfd(dir), name, e);
}

int deletions_refuse_among(const char *mounted_dir, unsigned long entries_max, struct err *e)
{
	struct walk w = { .entries_max = entries_max };
	int r = enter(&w, AT_FDCWD, mounted_dir, e);

	while (!r && w.depth) {
		DIR *dir = w.dirs[w.depth - 1];
		const struct dirent *entry;

		errno = 0;
		entry = readdir(dir);
		if (entry)
			r = look_at(&w, dir, entry, e);
		else if (errno)
			r = read_failed(w.shown, e);
		else
			leave(&w);
	}
	while (w.depth)
		leave(&w);
	return r;
}

int deletions_refuse(const char *mounted_dir, struct err *e)
{
	return deletions_refuse_among(mounted_dir, DELETIONS_ENTRIES_MAX, e);
}
