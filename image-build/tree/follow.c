// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/tree/follow.h"

#include <string.h>

#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/tree/view.h"

#define LINKS_MAX 40 /* the kernel's MAXSYMLINKS */

/* Where a path has come to: its text, and what the layers show there. */
struct position {
	char *path;
	size_t size;
	struct view view;
};

static void start(struct position *p, const struct layer *layers, size_t count)
{
	p->size = 0;
	p->path[0] = '\0';
	view_open(&p->view, layers, count);
}

static void go_up(struct position *p)
{
	while (p->size && p->path[--p->size] != '/')
		;
	p->path[p->size] = '\0';
	view_up(&p->view);
}

static int go_down(struct position *p, const char *name, size_t size, struct err *e)
{
	if (size > LIMIT_NAME || p->size + 1 + size > LIMIT_PATH)
		return refuse_limit(e,
				    "a symbolic link on its way leads to a name of more than %d "
				    "bytes, or a path of more than %d",
				    LIMIT_NAME, LIMIT_PATH);
	if (p->size)
		p->path[p->size++] = '/';
	memcpy(p->path + p->size, name, size);
	p->size += size;
	p->path[p->size] = '\0';
	view_down(&p->view, name, size);
	return 0;
}

/* One component; *ret_target is what to follow where it is a link. */
static int step(struct position *p, const char *name, size_t size, const char **ret_target,
		struct err *e)
{
	const struct node *node;
	int r;

	*ret_target = NULL;
	if (!size || (size == 1 && name[0] == '.'))
		return 0;
	if (size == 2 && !memcmp(name, "..", 2)) {
		go_up(p);
		return 0;
	}
	r = go_down(p, name, size, e);
	if (r)
		return r;
	node = view_node(&p->view, p->view.count);
	if (!node || !S_ISLNK(node->inode->mode))
		return 0;
	*ret_target = node->inode->target;
	go_up(p);
	if (**ret_target == '/')
		start(p, p->view.layers, p->view.count);
	return 0;
}

int follow_links(const struct layer *layers, size_t index, const char *path,
		 char ret[LIMIT_PATH + 1], bool *ret_linked, struct err *e)
{
	char *text = memory_text(path), *at = text;
	struct position p = { .path = ret };
	unsigned int links = 0;
	int r = 0;

	start(&p, layers, index + 1);
	while (!r && *at) {
		size_t size = strcspn(at, "/");
		const char *target;
		char *longer;

		r = step(&p, at, size, &target, e);
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
