// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/diff/diff.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "image-build/base/json.h"
#include "image-build/base/limits.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/inspect/inspect.h"
#include "lib/cleanup.h"

/* Bundles are flat; a folder in one is nothing that we write. */
#define DEPTH_MAX 16

/* One side of a pair of files. */
struct side {
	const char *name; /* "A" */
	const char *path;
	int fd;
	struct stat st;
	struct slice all;
	struct json_object *report;
};

struct pair {
	struct side a, b;
	const char *place;
	struct differences *d;
};

static int open_side(struct side *s, struct err *e)
{
	s->fd = open(s->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (s->fd < 0 || fstat(s->fd, &s->st))
		return system_failed(e, "%s: %.200s", s->name, s->path);
	if (!S_ISREG(s->st.st_mode) && !S_ISDIR(s->st.st_mode))
		return refuse(e, "%s: %.200s: neither a file nor a directory", s->name, s->path);
	s->all = (struct slice){ s->fd, 0, (uint64_t)s->st.st_size };
	return 0;
}

static void close_side(struct side *s)
{
	json_object_put(s->report);
	cleanup_fd(&s->fd);
}

/* --- files ------------------------------------------------------------------- */

static const char *type_of(struct json_object *o)
{
	return json_text(o, "type");
}

static bool both_begin(struct json_object *a, struct json_object *b, const char *type)
{
	return !strncmp(type_of(a), type, strlen(type)) && !strncmp(type_of(b), type, strlen(type));
}

static int inspect_side(struct side *s, struct err *e)
{
	static const struct inspect_options plain;

	s->report = json_object_new_object();
	return err_prefix(e, inspect_path(s->path, &plain, s->report, e), "%s: %.200s: ", s->name,
			  s->path);
}

/* Two file systems, or whatever begins two slices. */
static int diff_slices(const struct pair *p, const struct slice *a, const struct slice *b,
		       struct json_object *left, struct json_object *right, const char *place,
		       struct err *e)
{
	if (both_begin(left, right, "erofs"))
		return diff_erofs(a, b, place, p->d, e);
	return diff_bytes(a, b, place, p->d, e);
}

static struct json_object *partition_numbered(struct json_object *list, uint64_t number)
{
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *o = json_object_array_get_idx(list, i);

		if (json_number(o, "number") == number)
			return o;
	}
	return NULL;
}

static struct slice slice_of(const struct side *s, struct json_object *partition)
{
	return (struct slice){ s->fd, json_number(partition, "offset"),
			       json_number(partition, "size") };
}

/* Those that both have; the table's own differences are the report's. */
static int diff_partitions(const struct pair *p, struct json_object *left,
			   struct json_object *right, struct err *e)
{
	int r = 0;

	for (size_t i = 0; !r && i < json_object_array_length(left); i++) {
		struct json_object *a = json_object_array_get_idx(left, i);
		struct json_object *b = partition_numbered(right, json_number(a, "number"));
		char *place auto_text =
			memory_printf("%s%spartition %llu", p->place, *p->place ? " " : "",
				      (unsigned long long)json_number(a, "number"));
		struct slice x = slice_of(&p->a, a), y;

		if (!b)
			continue;
		y = slice_of(&p->b, b);
		r = diff_slices(p, &x, &y, a, b, place, e);
	}
	return r;
}

static int map(const struct side *s, struct bytes *ret, struct err *e)
{
	void *at = mmap(NULL, s->all.size, PROT_READ, MAP_PRIVATE, s->fd, 0);

	if (at == MAP_FAILED)
		return system_failed(e, "%s: map %.200s", s->name, s->path);
	*ret = (struct bytes){ at, s->all.size };
	return 0;
}

static void unmap(struct bytes *b)
{
	union {
		const uint8_t *in;
		void *out;
	} at = { .in = b->at };

	if (at.out)
		munmap(at.out, b->size);
}

static int diff_archives(const struct pair *p, struct err *e)
{
	struct bytes a = { NULL, 0 }, b = { NULL, 0 };
	int r = map(&p->a, &a, e);

	if (!r)
		r = map(&p->b, &b, e);
	if (!r)
		r = diff_cpio(&a, &b, p->place, p->d, e);
	unmap(&a);
	unmap(&b);
	return r;
}

static bool is_json(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && !strcmp(dot, ".json");
}

static int diff_documents(const struct pair *p, struct err *e)
{
	struct json_object *a = json_object_from_file(p->a.path);
	struct json_object *b = json_object_from_file(p->b.path);
	int r = 0;

	if (a && b)
		diff_json(a, b, p->place, p->d);
	else
		r = diff_bytes(&p->a.all, &p->b.all, p->place, p->d, e);
	json_object_put(a);
	json_object_put(b);
	return r;
}

static int diff_files(struct pair *p, struct err *e)
{
	struct json_object *left, *right;
	int r;

	if (is_json(p->a.path) && is_json(p->b.path))
		return diff_documents(p, e);
	r = inspect_side(&p->a, e);
	if (!r)
		r = inspect_side(&p->b, e);
	if (r)
		return r;
	if (strcmp(type_of(p->a.report), "unknown") || strcmp(type_of(p->b.report), "unknown"))
		diff_json(p->a.report, p->b.report, p->place, p->d);
	if (both_begin(p->a.report, p->b.report, "initramfs"))
		return diff_archives(p, e);
	if (json_object_object_get_ex(p->a.report, "partitions", &left) &&
	    json_object_object_get_ex(p->b.report, "partitions", &right))
		return diff_partitions(p, left, right, e);
	return diff_slices(p, &p->a.all, &p->b.all, p->a.report, p->b.report, p->place, e);
}

/* --- directories ------------------------------------------------------------- */

static int diff_pair(const char *a, const char *b, const char *place, int depth,
		     struct differences *d, struct err *e);

static int no_dots(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

struct names {
	struct dirent **at;
	int count;
};

static int list(const struct side *s, struct names *ret, struct err *e)
{
	ret->count = scandir(s->path, &ret->at, no_dots, by_bytes);
	return ret->count < 0 ? system_failed(e, "%s: read %.200s", s->name, s->path) : 0;
}

static void free_names(struct names *n)
{
	for (int i = 0; i < n->count; i++)
		free(n->at[i]);
	free(n->at);
}

static int diff_entry(const struct pair *p, const char *name, bool in_a, bool in_b, int depth,
		      struct err *e)
{
	char *a auto_text = memory_printf("%s/%s", p->a.path, name);
	char *b auto_text = memory_printf("%s/%s", p->b.path, name);
	char *place auto_text = memory_printf("%s%s%s", p->place, *p->place ? "/" : "", name);

	if (in_a && in_b)
		return diff_pair(a, b, place, depth + 1, p->d, e);
	differences_add(p->d, place, "name", in_a ? "" : NULL, in_b ? "" : NULL);
	return 0;
}

static int diff_directories(const struct pair *p, int depth, struct err *e)
{
	struct names a = { .count = 0 }, b = { .count = 0 };
	int r = list(&p->a, &a, e);

	if (!r)
		r = list(&p->b, &b, e);
	if (!r && depth == DEPTH_MAX)
		r = refuse_limit(e, "%.200s: more than %d directories deep", p->a.path, DEPTH_MAX);
	for (int i = 0, j = 0; !r && (i < a.count || j < b.count);) {
		const char *x = i < a.count ? a.at[i]->d_name : NULL;
		const char *y = j < b.count ? b.at[j]->d_name : NULL;
		int order = x && y ? strcmp(x, y) : x ? -1 : 1;

		r = diff_entry(p, order <= 0 ? x : y, order <= 0, order >= 0, depth, e);
		i += order <= 0;
		j += order >= 0;
	}
	free_names(&a);
	free_names(&b);
	return r;
}

static int diff_pair(const char *a, const char *b, const char *place, int depth,
		     struct differences *d, struct err *e)
{
	struct pair p = { .a = { .name = "A", .path = a, .fd = -1 },
			  .b = { .name = "B", .path = b, .fd = -1 },
			  .place = place,
			  .d = d };
	int r = open_side(&p.a, e);

	if (!r)
		r = open_side(&p.b, e);
	if (!r && S_ISDIR(p.a.st.st_mode) != S_ISDIR(p.b.st.st_mode))
		differences_add(d, place, "kind", S_ISDIR(p.a.st.st_mode) ? "directory" : "file",
				S_ISDIR(p.b.st.st_mode) ? "directory" : "file");
	else if (!r)
		r = S_ISDIR(p.a.st.st_mode) ? diff_directories(&p, depth, e) : diff_files(&p, e);
	close_side(&p.a);
	close_side(&p.b);
	return r;
}

int diff_paths(const char *a, const char *b, struct differences *d, struct err *e)
{
	return diff_pair(a, b, "", 0, d, e);
}
