// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/tree/follow.h"

#include <string.h>

#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/tree/below.h"

#define LINKS_MAX 40 /* the kernel's MAXSYMLINKS */

static void go_up(char *path)
{
	char *slash = strrchr(path, '/');

	*(slash ? slash : path) = '\0';
}

static int go_down(char *path, const char *name, size_t size, struct err *e)
{
	size_t used = strlen(path);

	if (size > LIMIT_NAME || used + 1 + size > LIMIT_PATH)
		return refuse_limit(e,
				    "a symbolic link on its way leads to a name of more than %d "
				    "bytes, or a path of more than %d",
				    LIMIT_NAME, LIMIT_PATH);
	if (used)
		path[used++] = '/';
	memcpy(path + used, name, size);
	path[used + size] = '\0';
	return 0;
}

/* One component; *ret_target is what to follow where it is a link. */
static int step(const struct layer *layers, size_t index, char *path, const char *name, size_t size,
		const char **ret_target, struct err *e)
{
	const struct node *node;
	int r;

	*ret_target = NULL;
	if (!size || (size == 1 && name[0] == '.'))
		return 0;
	if (size == 2 && !memcmp(name, "..", 2)) {
		go_up(path);
		return 0;
	}
	r = go_down(path, name, size, e);
	if (r)
		return r;
	node = look_below(layers, index + 1, path);
	if (!node || !S_ISLNK(node->inode->mode))
		return 0;
	*ret_target = node->inode->target;
	go_up(path);
	if (**ret_target == '/')
		*path = '\0';
	return 0;
}

int follow_links(const struct layer *layers, size_t index, const char *path,
		 char ret[LIMIT_PATH + 1], bool *ret_linked, struct err *e)
{
	char *text = memory_text(path), *at = text;
	unsigned int links = 0;
	int r = 0;

	*ret = '\0';
	while (!r && *at) {
		size_t size = strcspn(at, "/");
		const char *target;
		char *longer;

		r = step(layers, index, ret, at, size, &target, e);
		at += size;
		if (r || !target) {
			at += *at == '/';
			continue;
		}
		if (++links > LINKS_MAX) {
			r = refuse(e, "more than %d symbolic links on its way", LINKS_MAX);
			break;
		}
		longer = memory_printf("%s%s", target, at);
		free(text);
		at = text = longer;
	}
	free(text);
	*ret_linked = links > 0;
	return r;
}
