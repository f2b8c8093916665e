// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/tree/below.h"

#include <stdbool.h>
#include <string.h>

#include "image-build/base/memory.h"

enum lookup {
	LOOKUP_FOUND,
	LOOKUP_UNKNOWN, /* this layer says nothing: ask the one below */
	LOOKUP_HIDDEN,  /* this layer says that there is nothing */
};

/* What one layer says about a path. */
static enum lookup look_in(const struct layer *l, const char *path, const struct node **ret)
{
	char *copy auto_text = memory_text(path);
	const struct node *node = l->tree.root;
	char *rest = copy, *name;
	bool opaque = false;

	while ((name = strsep(&rest, "/"))) {
		if (!*name)
			continue;
		if (!node_is_directory(node))
			return LOOKUP_HIDDEN;
		/* Above: what this directory hides of the layers below is hidden further down. */
		opaque = opaque || node->inode->opaque;
		node = node_child(node, name);
		if (!node)
			return opaque ? LOOKUP_HIDDEN : LOOKUP_UNKNOWN;
		if (!node->inode)
			return LOOKUP_HIDDEN;
		opaque = opaque || node->whiteout;
	}
	*ret = node;
	return LOOKUP_FOUND;
}

const struct node *look_below(const struct layer *layers, size_t index, const char *path)
{
	const struct node *node = NULL;

	while (index--) {
		enum lookup found = look_in(&layers[index], path, &node);

		if (found == LOOKUP_FOUND)
			return node;
		if (found == LOOKUP_HIDDEN)
			return NULL;
	}
	return NULL;
}
