// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/tree/whiteouts.h"

#include <stdlib.h>
#include <string.h>

#include "image-build/base/refuse.h"
#include "lib/array.h"

#define OVERLAY_OPAQUE "trusted.overlay.opaque"
#define OVERLAY_ORIGIN "trusted.overlay.origin"

bool overlay_is_whiteout(const struct inode *inode)
{
	return S_ISCHR(inode->mode) && inode->device_major == 0 && inode->device_minor == 0;
}

/* The part behind "trusted.overlay." or "user.overlay.", NULL for any other name. */
static const char *overlay_key(const char *name)
{
	static const char *const prefixes[] = { "trusted.overlay.", "user.overlay." };

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return name + strlen(prefixes[i]);
	return NULL;
}

static int take_own(struct inode *inode, const char *key, const void *value, size_t size,
		    struct err *e)
{
	static const char *const elsewhere[] = { "redirect", "metacopy", "whiteout", "whiteouts" };

	for (size_t i = 0; i < ARRAY_SIZE(elsewhere); i++)
		if (!strcmp(key, elsewhere[i]))
			return refuse(e,
				      "overlayfs' attribute \"%s\": its content is not in this tar",
				      key);
	if (strcmp(key, "opaque"))
		return 0;
	if (!S_ISDIR(inode->mode) || size != 1 || memcmp(value, "y", 1))
		return refuse(
			e,
			"overlayfs' attribute \"opaque\" is \"y\" on a directory and nothing else");
	inode->opaque = true;
	return 0;
}

int overlay_take_xattr(struct inode *inode, const char *name, const void *value, size_t size,
		       struct err *e)
{
	/* What erofs has an index for; liberofs drops others without an error. */
	static const char *const kept[] = { "user.", "trusted.", "security.",
					    "system.posix_acl_access", "system.posix_acl_default" };

	if (overlay_key(name))
		return take_own(inode, overlay_key(name), value, size, e);
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
		bool prefix = kept[i][strlen(kept[i]) - 1] == '.';

		if (prefix ? !strncmp(name, kept[i], strlen(kept[i])) && name[strlen(kept[i])] :
			     !strcmp(name, kept[i])) {
			inode_set_xattr(inode, name, value, size);
			return 0;
		}
	}
	return refuse(e, "extended attribute \"%.100s\" cannot be kept", name);
}

/* What a name's own whiteout does to what the layer adds there. */
static void settle_node(struct node *node)
{
	if (!node->whiteout || !node->inode)
		return;
	if (S_ISDIR(node->inode->mode))
		node->inode->opaque = true;
	else
		node->whiteout = false;
}

/* Inside of an opaque directory there is nothing left for a whiteout to hide. */
static void drop_void_whiteouts(struct tree *t, struct node *dir)
{
	struct node **children = node_children(dir);
	size_t count = dir->child_count;

	for (size_t i = 0; i < count; i++) {
		if (children[i]->inode)
			children[i]->whiteout = false;
		else
			node_remove(t, children[i]);
	}
	free(children);
}

static int settle(struct node *node, void *context, struct err *e)
{
	(void)e;
	settle_node(node);
	if (node_is_directory(node) && node->inode->opaque)
		drop_void_whiteouts(context, node);
	return 0;
}

void overlay_settle(struct tree *t)
{
	tree_walk(t->root, settle, t, NULL);
}

static int encode(struct node *node, void *context, struct err *e)
{
	(void)context;
	(void)e;
	if (!node->inode) {
		node_set_inode(node, inode_new(S_IFCHR));
		inode_set_xattr(node->parent->inode, OVERLAY_ORIGIN, "", 0);
	} else if (S_ISDIR(node->inode->mode) && node->inode->opaque) {
		inode_set_xattr(node->inode, OVERLAY_OPAQUE, "y", 1);
	}
	return 0;
}

void overlay_encode(struct tree *t)
{
	overlay_settle(t);
	tree_walk(t->root, encode, NULL, NULL);
}
