// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/tree/layer_read.h"

#include <string.h>

#include "image-build/base/limits.h"
#include "image-build/base/refuse.h"
#include "image-build/tree/layer_inode.h"
#include "image-build/tree/name.h"
#include "image-build/tree/tar_read.h"

/* "a/.wh.b" to "a/b", and "a/.wh..wh..opq" to "a". */
static void add_mark(struct layer *l, enum name_kind kind, char *path)
{
	char *slash = strrchr(path, '/');
	char *last = slash ? slash + 1 : path;
	const char *hidden = name_hidden(last);

	if (kind == NAME_OPAQUE)
		*(slash ? slash : path) = '\0';
	else
		memmove(last, hidden, strlen(hidden) + 1);
	change_log_add(&l->changes,
		       &(struct change){ kind == NAME_OPAQUE ? CHANGE_OPAQUE : CHANGE_WHITEOUT,
					 path, NULL, "" });
}

static int add_link(struct layer *l, const char *path, const char *raw_target, struct err *e)
{
	char target[LIMIT_PATH + 1];
	int r;

	if (!*raw_target)
		return refuse(e, "a hard link without a target");
	r = name_clean(raw_target, target, e);
	if (r)
		return r;
	if (!*path || !*target)
		return refuse(e, "a hard link of or to the root directory");
	change_log_add(&l->changes, &(struct change){ CHANGE_LINK, path, NULL, target });
	return 0;
}

static int add_inode(struct layer *l, struct tar_reader *t, const struct tar_entry *entry,
		     const char *path, struct err *e)
{
	struct inode *inode = NULL;
	int r = layer_read_inode(l, t, entry, &inode, e);

	if (r)
		return r;
	if (!*path && !S_ISDIR(inode->mode)) {
		inode_release(inode);
		return refuse(e, "the root is not a directory");
	}
	change_log_add(&l->changes, &(struct change){ CHANGE_INODE, path, inode, "" });
	return 0;
}

static int add_entry(struct layer *l, struct tar_reader *t, const struct tar_entry *entry,
		     char *path, struct err *e)
{
	enum name_kind kind = name_kind(path);

	switch (kind) {
	case NAME_WHITEOUT:
	case NAME_OPAQUE:
		add_mark(l, kind, path);
		return 0;
	case NAME_IGNORED:
		return 0;
	case NAME_INVALID:
		return refuse(e, "\"%s\" is not a valid whiteout", path);
	case NAME_PLAIN:
		break;
	}
	return entry->type == '1' ? add_link(l, path, entry->link, e) :
				    add_inode(l, t, entry, path, e);
}

/* GNU tar would give what it says to every entry behind it. */
static void note_global(struct layer *l, const struct pax *p)
{
	for (size_t i = 0; i < p->count; i++)
		if (strcmp(p->records[i].key, "comment")) {
			layer_note(l, NOTE_GLOBAL_PAX,
				   "a global pax header (\"%.60s\") is left out, as Docker does",
				   p->records[i].key);
			return;
		}
}

static int read_entries(struct layer *l, struct tar_reader *t, struct err *e)
{
	struct tar_entry entry;
	int r;

	while ((r = tar_next(t, &entry, e)) == 1) {
		char path[LIMIT_PATH + 1];

		if (entry.type == 'g') {
			note_global(l, entry.pax);
			continue;
		}
		r = name_clean(entry.name, path, e);
		if (!r && l->changes.count == l->max_names)
			r = refuse_limit(e, "more than %zu entries", l->max_names);
		if (r)
			return r;
		r = add_entry(l, t, &entry, path, e);
		if (r)
			return err_prefix(e, r, "entry \"%.150s\": ", path);
	}
	return r;
}

int layer_read(struct layer *l, struct blob *b, struct err *e)
{
	struct tar_reader t;
	int r;

	tar_open(&t, b);
	r = read_entries(l, &t, e);
	tar_close(&t);
	return r;
}
