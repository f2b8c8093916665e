// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/diff/diff.h"

#include <stdio.h>
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
	uint64_t directories; /* seen so far */
};

static int failed(enum side side, const char *path, int result, struct err *e)
{
	return err_prefix(e, result, "%s\"%.150s\": ", side_names[side], path);
}

static int stat_side(struct walk *w, enum side side, uint64_t nid, const char *path,
		     struct erofs_file *file, struct attributes *ret, struct err *e)
{
	int r = erofs_files_stat(w->files[side], nid, file, e);

	if (r)
		return failed(side, path, r, e);
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
	return 0;
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

/* An attribute's value, of one side that may lack it. */
struct value {
	char *bytes; /* NULL: it has none */
	size_t size;
};

static bool values_equal(const struct value *a, const struct value *b)
{
	return a->bytes && b->bytes && a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

static bool is_text(const struct value *v)
{
	for (size_t i = 0; i < v->size; i++)
		if (v->bytes[i] < ' ' || v->bytes[i] > '~')
			return false;
	return true;
}

/* Both as they are, or both as digits: the text 0x01 is not the byte. Allocated. */
static char *value_shown(const struct value *v, bool text)
{
	char *shown;

	if (!v->bytes)
		return NULL;
	shown = memory_zero(2, v->size + 2);
	if (text)
		return memcpy(shown, v->bytes, v->size);
	memcpy(shown, "0x", 2);
	for (size_t i = 0; i < v->size; i++)
		sprintf(shown + 2 + 2 * i, "%02x", (unsigned int)(uint8_t)v->bytes[i]);
	return shown;
}

static void tell_values(struct walk *w, const struct value value[2], const char *name,
			const char *place)
{
	bool text = is_text(&value[A]) && is_text(&value[B]);
	char *a auto_text = value_shown(&value[A], text);
	char *b auto_text = value_shown(&value[B], text);

	differences_add(w->d, place, name, a, b);
}

/* An attribute that one or both sides have. */
static int diff_xattr(struct walk *w, const uint64_t nid[2], const bool has[2], const char *name,
		      const char *place, struct err *e)
{
	struct value value[2] = { { NULL, 0 }, { NULL, 0 } };
	int r = 0;

	for (enum side s = A; !r && s <= B; s++)
		if (has[s])
			r = failed(s, name,
				   erofs_files_xattr(w->files[s], nid[s], name, &value[s].bytes,
						     &value[s].size, e),
				   e);
	if (!r && !values_equal(&value[A], &value[B]))
		tell_values(w, value, name, place);
	free(value[A].bytes);
	free(value[B].bytes);
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

	/* A directory that is below itself has no end, and one in many places too many. */
	if (++w->directories > LIMIT_ENTRIES)
		return refuse_limit(e, "more than %d directories", LIMIT_ENTRIES);
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
