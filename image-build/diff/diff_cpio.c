// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/diff/diff.h"

#include <string.h>
#include <sys/stat.h>

#include "image-build/base/digest.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/diff/diff_attributes.h"
#include "image-build/initramfs/cpio_scan.h"

struct entry {
	char *name;
	size_t nth; /* in the archives */
	struct attributes attributes;
	char *target;          /* of a link */
	struct digest content; /* of a file */
};

struct entries {
	size_t count, room;
	struct entry *at; /* ascending by name once sorted */
};

static int keep_entry(const struct cpio_entry *c, void *context, struct err *e)
{
	struct entries *list = context;
	struct entry *added;
	struct hasher h;

	(void)e;
	list->at = memory_grow(list->at, list->count, &list->room, sizeof(*list->at));
	added = &list->at[list->count];
	*added = (struct entry){
		.name = memory_text(c->name),
		.nth = list->count++,
		.attributes = { .mode = c->mode,
				.uid = c->uid,
				.gid = c->gid,
				.links = c->links,
				.size = c->size,
				.mtime_sec = c->mtime,
				.device_major = c->device_major,
				.device_minor = c->device_minor },
	};
	if (S_ISLNK(c->mode))
		added->target = memory_printf("%.*s", (int)c->size, (const char *)c->content);
	hasher_start(&h, "sha256");
	hasher_add(&h, c->content, c->size);
	hasher_finish(&h, &added->content);
	hasher_stop(&h);
	return 0;
}

static void free_entries(struct entries *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->at[i].name);
		free(list->at[i].target);
	}
	free(list->at);
}

/* By name; of one name the last stands first. */
static int by_name(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : x->nth < y->nth ? 1 : -1;
}

static int read_entries(const struct bytes *b, struct entries *ret, const char *side, struct err *e)
{
	struct cpio_facts facts;
	int r = cpio_scan_entries(b->at, b->size, keep_entry, ret, &facts, e);

	if (r)
		return err_prefix(e, r, "%s: ", side);
	if (ret->count)
		qsort(ret->at, ret->count, sizeof(*ret->at), by_name);
	return 0;
}

static void diff_entry(const struct entry *a, const struct entry *b, const char *place,
		       struct differences *d)
{
	char *where auto_text =
		memory_printf("%s%s%s", place, *place ? " " : "", a ? a->name : b->name);
	char *left auto_text = a ? attributes_text(&a->attributes) : NULL;
	char *right auto_text = b ? attributes_text(&b->attributes) : NULL;

	if (!a || !b) {
		differences_add(d, where, "name", left, right);
		return;
	}
	if (!diff_attributes(&a->attributes, &b->attributes, where, d))
		return;
	if (a->target && b->target && strcmp(a->target, b->target) != 0)
		differences_add(d, where, "target", a->target, b->target);
	else if (!a->target && a->attributes.size == b->attributes.size &&
		 !digest_equal(&a->content, &b->content))
		differences_add(d, where, "content differs", NULL, NULL);
}

/* Behind an entry, and behind those of its name that it replaces. */
static size_t behind(const struct entries *list, size_t at)
{
	size_t next = at + 1;

	while (next < list->count && !strcmp(list->at[next].name, list->at[at].name))
		next++;
	return next;
}

int diff_cpio(const struct bytes *a, const struct bytes *b, const char *place,
	      struct differences *d, struct err *e)
{
	struct entries left = { .count = 0 }, right = { .count = 0 };
	int r = read_entries(a, &left, "A", e);

	if (!r)
		r = read_entries(b, &right, "B", e);
	for (size_t i = 0, j = 0; !r && (i < left.count || j < right.count);) {
		const struct entry *x = i < left.count ? &left.at[i] : NULL;
		const struct entry *y = j < right.count ? &right.at[j] : NULL;
		int order = x && y ? strcmp(x->name, y->name) : x ? -1 : 1;

		diff_entry(order <= 0 ? x : NULL, order >= 0 ? y : NULL, place, d);
		i = order <= 0 ? behind(&left, i) : i;
		j = order >= 0 ? behind(&right, j) : j;
	}
	free_entries(&left);
	free_entries(&right);
	return r;
}
