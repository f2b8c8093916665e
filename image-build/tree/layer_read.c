// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/tree/layer_read.h"

#include <string.h>

#include "image-build/base/limits.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/tree/layer_inode.h"
#include "image-build/tree/name.h"
#include "image-build/tree/tar_read.h"

static struct change *add_change(struct layer *l, enum change_kind kind, const char *path)
{
	l->changes = memory_grow(l->changes, l->change_count, &l->change_room, sizeof(*l->changes));
	l->changes[l->change_count] = (struct change){ .kind = kind, .path = memory_text(path) };
	return &l->changes[l->change_count++];
}

/* "a/.wh.b" to "a/b", and "a/.wh..wh..opq" to "a". */
static void add_mark(struct layer *l, enum name_kind kind, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t above = slash ? (size_t)(slash + 1 - path) : 0;
	char *hidden auto_text = NULL;

	if (kind == NAME_OPAQUE)
		hidden = memory_printf("%.*s", above ? (int)above - 1 : 0, path);
	else
		hidden = memory_printf("%.*s%s", (int)above, path, name_hidden(path + above));
	add_change(l, kind == NAME_OPAQUE ? CHANGE_OPAQUE : CHANGE_WHITEOUT, hidden);
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
	add_change(l, CHANGE_LINK, path)->target = memory_text(target);
	return 0;
}

static int add_entry(struct layer *l, struct tar_reader *t, const struct tar_entry *entry,
		     const char *path, struct err *e)
{
	enum name_kind kind = name_kind(path);
	struct inode *inode;
	int r;

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
	if (entry->type == '1')
		return add_link(l, path, entry->link, e);
	inode = inode_hold(inode_new(0));
	r = layer_read_inode(l, t, entry, inode, e);
	if (!r && !*path && !S_ISDIR(inode->mode))
		r = refuse(e, "the root is not a directory");
	if (r)
		inode_release(inode);
	else
		add_change(l, CHANGE_INODE, path)->inode = inode;
	return r;
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
		if (!r && l->change_count == LIMIT_ENTRIES)
			r = refuse_limit(e, "more than %d entries", LIMIT_ENTRIES);
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
