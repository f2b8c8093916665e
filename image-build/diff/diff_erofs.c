// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/diff/diff.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "image-build/base/limits.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/diff/diff_attributes.h"
#include "image-build/inspect/erofs_files.h"

#define CHUNK (256 << 10)

enum side { A, B };

static const char *const side_names[] = { "A: ", "B: " };

struct walk {
	struct erofs_files *files[2];
	const char *place;
	struct differences *d;
	char *chunk[2];
};

static int failed(enum side side, const char *path, int result, struct err *e)
{
	return err_prefix(e, result, "%s\"%.150s\": ", side_names[side], path);
}

static int stat_side(struct walk *w, enum side side, uint64_t nid, const char *path,
		     struct erofs_file *file, struct attributes *ret, struct err *e)
{
	int r = erofs_files_stat(w->files[side], nid, file, e);

	*ret = (struct attributes){
		.mode = file->mode,
		.uid = file->uid,
		.gid = file->gid,
		.links = file->links,
		.size = file->size,
		.mtime_sec = file->mtime_sec,
		.mtime_nsec = file->mtime_nsec,
		.device_major = file->device_major,
		.device_minor = file->device_minor,
	};
	return failed(side, path, r, e);
}

static char *place_of(const struct walk *w, const char *path)
{
	return memory_printf("%s%s%s", w->place, *w->place ? " " : "", *path ? path : "/");
}

/* The first of so many bytes that differs. */
static size_t first_difference(const char *a, const char *b, size_t size)
{
	size_t i = 0;

	while (i < size && a[i] == b[i])
		i++;
	return i;
}

/* Of two files of one size; other sizes have been told. */
static int diff_content(struct walk *w, const struct erofs_file file[2], const char *path,
			const char *place, struct err *e)
{
	for (uint64_t at = 0; at < file[A].size; at += CHUNK) {
		size_t size = file[A].size - at < CHUNK ? (size_t)(file[A].size - at) : CHUNK;

		for (enum side s = A; s <= B; s++) {
			int r = erofs_files_read(w->files[s], file[s].nid, w->chunk[s], size, at,
						 e);

			if (r)
				return failed(s, path, r, e);
		}
		if (memcmp(w->chunk[A], w->chunk[B], size) != 0) {
			differences_content(w->d, place,
					    at + first_difference(w->chunk[A], w->chunk[B], size));
			return 0;
		}
	}
	return 0;
}

static int diff_target(struct walk *w, const struct erofs_file file[2], const char *path,
		       const char *place, struct err *e)
{
	char *target[2] = { NULL, NULL };
	int r = 0;

	for (enum side s = A; !r && s <= B; s++)
		r = failed(s, path, erofs_files_target(w->files[s], &file[s], &target[s], e), e);
	if (!r && strcmp(target[A], target[B]) != 0)
		differences_add(w->d, place, "target", target[A], target[B]);
	free(target[A]);
	free(target[B]);
	return r;
}

/* --- attributes that have names ---------------------------------------------- */

static char *value_text(const char *value, size_t size)
{
	char *text = memory_zero(1, 2 * size + 3);

	for (size_t i = 0; i < size; i++)
		if (value[i] < ' ' || value[i] > '~')
			size = 0;
	if (size || !value[0])
		return memcpy(text, value, size);
	free(text);
	return NULL;
}

static char *hex_text(const char *value, size_t size)
{
	char *text = memory_zero(1, 2 * size + 3);

	memcpy(text, "0x", 2);
	for (size_t i = 0; i < size; i++) {
		text[2 + 2 * i] = "0123456789abcdef"[(uint8_t)value[i] >> 4];
		text[3 + 2 * i] = "0123456789abcdef"[(uint8_t)value[i] & 15];
	}
	return text;
}

static int read_value(struct walk *w, enum side side, uint64_t nid, const char *name, char **ret,
		      struct err *e)
{
	size_t size = 0;
	char *value auto_text = NULL;
	int r = erofs_files_xattr(w->files[side], nid, name, &value, &size, e);

	if (r)
		return failed(side, name, r, e);
	*ret = value_text(value, size);
	if (!*ret)
		*ret = hex_text(value, size);
	return 0;
}

/* An attribute that one or both sides have. */
static int diff_xattr(struct walk *w, const uint64_t nid[2], const bool has[2], const char *name,
		      const char *place, struct err *e)
{
	char *value[2] = { NULL, NULL };
	int r = 0;

	for (enum side s = A; !r && s <= B; s++)
		if (has[s])
			r = read_value(w, s, nid[s], name, &value[s], e);
	if (!r && (!value[A] || !value[B] || strcmp(value[A], value[B]) != 0))
		differences_add(w->d, place, name, value[A], value[B]);
	free(value[A]);
	free(value[B]);
	return r;
}

/* The next name of two sorted lists, and which of them have it; NULL at the end. */
static const char *next_name(const struct erofs_names names[2], size_t at[2], bool has[2],
			     uint64_t nid[2])
{
	const char *a = at[A] < names[A].count ? names[A].at[at[A]].text : NULL;
	const char *b = at[B] < names[B].count ? names[B].at[at[B]].text : NULL;
	int order = a && b ? strcmp(a, b) : a ? -1 : 1;

	has[A] = a && order <= 0;
	has[B] = b && order >= 0;
	for (enum side s = A; s <= B; s++)
		if (has[s])
			nid[s] = names[s].at[at[s]++].nid;
	return has[A] ? a : b;
}

static int diff_xattrs(struct walk *w, const uint64_t nid[2], const char *path, const char *place,
		       struct err *e)
{
	struct erofs_names names[2] = { { .count = 0 }, { .count = 0 } };
	size_t at[2] = { 0, 0 };
	uint64_t unused[2];
	const char *name;
	bool has[2];
	int r = 0;

	for (enum side s = A; !r && s <= B; s++)
		r = failed(s, path, erofs_files_xattrs(w->files[s], nid[s], &names[s], e), e);
	while (!r && (name = next_name(names, at, has, unused)))
		r = diff_xattr(w, nid, has, name, place, e);
	erofs_names_free(&names[A]);
	erofs_names_free(&names[B]);
	return r;
}

/* --- directories ------------------------------------------------------------- */

static int diff_file(struct walk *w, const uint64_t nid[2], const char *path, struct err *e);

static int tell_lone(struct walk *w, enum side side, uint64_t nid, const char *path, struct err *e)
{
	char *place auto_text = place_of(w, path), *what auto_text = NULL;
	struct attributes attributes;
	struct erofs_file file;
	int r = stat_side(w, side, nid, path, &file, &attributes, e);

	if (r)
		return r;
	what = attributes_text(&attributes);
	differences_add(w->d, place, "name", side == A ? what : NULL, side == B ? what : NULL);
	return 0;
}

static int diff_directory(struct walk *w, const uint64_t nid[2], const char *path, struct err *e)
{
	struct erofs_names names[2] = { { .count = 0 }, { .count = 0 } };
	size_t at[2] = { 0, 0 };
	uint64_t child[2];
	const char *name;
	bool has[2];
	int r = 0;

	/* A directory that is below itself has no end. */
	if (strlen(path) > LIMIT_PATH)
		return refuse_limit(e, "\"%.100s...\" is longer than %d bytes", path, LIMIT_PATH);
	for (enum side s = A; !r && s <= B; s++)
		r = failed(s, path, erofs_files_list(w->files[s], nid[s], &names[s], e), e);
	while (!r && (name = next_name(names, at, has, child))) {
		char *below auto_text = memory_printf("%s/%s", path, name);

		if (has[A] && has[B])
			r = diff_file(w, child, below, e);
		else
			r = tell_lone(w, has[A] ? A : B, child[has[A] ? A : B], below, e);
	}
	erofs_names_free(&names[A]);
	erofs_names_free(&names[B]);
	return r;
}

static int diff_data(struct walk *w, const struct erofs_file file[2], const char *path,
		     const char *place, struct err *e)
{
	const uint64_t nid[2] = { file[A].nid, file[B].nid };

	if (S_ISDIR(file[A].mode))
		return diff_directory(w, nid, path, e);
	if (S_ISLNK(file[A].mode))
		return diff_target(w, file, path, place, e);
	if (S_ISREG(file[A].mode) && file[A].size == file[B].size)
		return diff_content(w, file, path, place, e);
	return 0;
}

static int diff_file(struct walk *w, const uint64_t nid[2], const char *path, struct err *e)
{
	char *place auto_text = place_of(w, path);
	struct attributes attributes[2];
	struct erofs_file file[2];
	int r = 0;

	for (enum side s = A; !r && s <= B; s++)
		r = stat_side(w, s, nid[s], path, &file[s], &attributes[s], e);
	if (r || !diff_attributes(&attributes[A], &attributes[B], place, w->d))
		return r;
	r = diff_xattrs(w, nid, path, place, e);
	return r ? r : diff_data(w, file, path, place, e);
}

int diff_erofs(const struct slice *a, const struct slice *b, const char *place,
	       struct differences *d, struct err *e)
{
	struct walk w = { .place = place, .d = d };
	const struct slice *slices[2] = { a, b };
	uint64_t root[2];
	int r = 0;

	for (enum side s = A; !r && s <= B; s++) {
		r = err_prefix(e, erofs_files_open(slices[s], &w.files[s], e), "%s", side_names[s]);
		w.chunk[s] = memory_zero(1, CHUNK);
		root[s] = r ? 0 : erofs_files_root(w.files[s]);
	}
	if (!r)
		r = diff_file(&w, root, "", e);
	for (enum side s = A; s <= B; s++) {
		if (w.files[s])
			erofs_files_close(w.files[s]);
		free(w.chunk[s]);
	}
	return r;
}
