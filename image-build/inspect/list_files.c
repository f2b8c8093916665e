// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/inspect/list_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "image-build/base/json.h"
#include "image-build/base/limits.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/inspect/erofs_files.h"

struct listing {
	struct erofs_files *files;
	bool json;
};

/* Allocated. */
static char *escaped(const char *text, size_t size)
{
	char *copy = memory_zero(4, size + 1), *to = copy;

	for (size_t i = 0; i < size; i++)
		if (text[i] > ' ' - 1 && text[i] <= '~' && text[i] != '\\')
			*to++ = text[i];
		else
			to += sprintf(to, "\\x%02x", (unsigned int)(uint8_t)text[i]);
	return copy;
}

static char kind_letter(mode_t mode)
{
	static const struct {
		mode_t type;
		char letter;
	} letters[] = {
		{ S_IFREG, '-' }, { S_IFDIR, 'd' }, { S_IFLNK, 'l' },  { S_IFCHR, 'c' },
		{ S_IFBLK, 'b' }, { S_IFIFO, 'p' }, { S_IFSOCK, 's' },
	};

	for (size_t i = 0; i < sizeof(letters) / sizeof(*letters); i++)
		if ((mode & S_IFMT) == letters[i].type)
			return letters[i].letter;
	return '?';
}

static bool is_device(const struct erofs_file *file)
{
	return S_ISCHR(file->mode) || S_ISBLK(file->mode);
}

/* --- text -------------------------------------------------------------------- */

static void print_line(const struct erofs_file *file, const char *path, const char *target)
{
	char size[48];

	if (is_device(file))
		snprintf(size, sizeof(size), "%" PRIu32 ":%" PRIu32, file->device_major,
			 file->device_minor);
	else
		snprintf(size, sizeof(size), "%" PRIu64, file->size);
	printf("%c%04o %" PRIu32 ":%" PRIu32 " %s %" PRId64 ".%09" PRIu32 " %s %s%s%s\n",
	       kind_letter(file->mode), (unsigned int)file->mode & 07777, file->uid, file->gid,
	       size, file->mtime_sec, file->mtime_nsec, file->layout, path, target ? " -> " : "",
	       target ? target : "");
}

/* --- JSON -------------------------------------------------------------------- */

static struct json_object *file_object(const struct erofs_file *file, const char *path,
				       const char *target)
{
	struct json_object *o = json_object_new_object();
	char text[32] = { kind_letter(file->mode) };

	json_add_text(o, "path", path);
	json_add_text(o, "type", text);
	snprintf(text, sizeof(text), "%04o", (unsigned int)file->mode & 07777);
	json_add_text(o, "mode", text);
	json_add_number(o, "uid", file->uid);
	json_add_number(o, "gid", file->gid);
	json_add_number(o, "links", file->links);
	json_add_number(o, "size", file->size);
	snprintf(text, sizeof(text), "%" PRId64 ".%09" PRIu32, file->mtime_sec, file->mtime_nsec);
	json_add_text(o, "mtime", text);
	json_add_text(o, "layout", file->layout);
	if (is_device(file)) {
		json_add_number(o, "major", file->device_major);
		json_add_number(o, "minor", file->device_minor);
	}
	if (target)
		json_add_text(o, "target", target);
	return o;
}

/* --- the walk ----------------------------------------------------------------- */

static int show_xattrs(struct listing *l, const struct erofs_file *file, struct json_object *o,
		       struct err *e)
{
	struct erofs_names names = { .count = 0 };
	struct json_object *list = json_object_new_object();
	int r = erofs_files_xattrs(l->files, file->nid, &names, e);

	for (size_t i = 0; !r && i < names.count; i++) {
		char *value auto_text = NULL, *shown auto_text = NULL;
		size_t size = 0;

		r = erofs_files_xattr(l->files, file->nid, names.at[i].text, &value, &size, e);
		if (r)
			break;
		shown = escaped(value, size);
		json_add_text(list, names.at[i].text, shown);
		if (!o)
			printf("    %s=%s\n", names.at[i].text, shown);
	}
	if (o && names.count)
		json_object_object_add(o, "xattrs", json_object_get(list));
	json_object_put(list);
	erofs_names_free(&names);
	return r;
}

static int show(struct listing *l, const struct erofs_file *file, const char *path, struct err *e)
{
	char *shown auto_text = escaped(*path ? path : "/", *path ? strlen(path) : 1);
	char *target auto_text = NULL, *shown_target auto_text = NULL;
	struct json_object *o = NULL;
	int r = S_ISLNK(file->mode) ? erofs_files_target(l->files, file, &target, e) : 0;

	if (r)
		return r;
	shown_target = target ? escaped(target, strlen(target)) : NULL;
	if (l->json)
		o = file_object(file, shown, shown_target);
	else
		print_line(file, shown, shown_target);
	r = show_xattrs(l, file, o, e);
	if (!r && o)
		printf("%s\n", json_object_to_json_string_ext(o, JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(o);
	return r;
}

static int walk(struct listing *l, uint64_t nid, const char *path, struct err *e)
{
	struct erofs_names names = { .count = 0 };
	struct erofs_file file;
	int r = erofs_files_stat(l->files, nid, &file, e);

	if (!r)
		r = show(l, &file, path, e);
	if (r || !S_ISDIR(file.mode))
		return r;
	/* A directory that is below itself has no end. */
	if (strlen(path) > LIMIT_PATH)
		return refuse_limit(e, "\"%.100s...\" is longer than %d bytes", path, LIMIT_PATH);
	r = erofs_files_list(l->files, nid, &names, e);
	for (size_t i = 0; !r && i < names.count; i++) {
		char *below auto_text = memory_printf("%s/%s", path, names.at[i].text);

		r = walk(l, names.at[i].nid, below, e);
	}
	erofs_names_free(&names);
	return r;
}

int list_files(const struct slice *x, bool json, struct err *e)
{
	struct listing l = { .json = json };
	int r = erofs_files_open(x, &l.files, e);

	if (r)
		return r;
	r = walk(&l, erofs_files_root(l.files), "", e);
	erofs_files_close(l.files);
	return r;
}

/* --- what a report has found ---------------------------------------------------- */

static bool is_erofs(struct json_object *o)
{
	return !strncmp(json_text(o, "type"), "erofs", strlen("erofs"));
}

int list_found_files(int fd, struct json_object *report, bool json, struct err *e)
{
	struct slice whole = { fd, 0, json_number(report, "size") };
	struct json_object *partitions;
	size_t found = 0;
	int r = 0;

	if (is_erofs(report))
		return list_files(&whole, json, e);
	if (!json_object_object_get_ex(report, "partitions", &partitions))
		return refuse(e, "only the files of an erofs are listed");
	for (size_t i = 0; !r && i < json_object_array_length(partitions); i++) {
		struct json_object *p = json_object_array_get_idx(partitions, i);
		struct slice x = { fd, json_number(p, "offset"), json_number(p, "size") };

		if (!is_erofs(p))
			continue;
		found++;
		if (!json)
			printf("partition %llu:\n", (unsigned long long)json_number(p, "number"));
		r = list_files(&x, json, e);
	}
	return r || found ? r : refuse(e, "only the files of an erofs are listed");
}
