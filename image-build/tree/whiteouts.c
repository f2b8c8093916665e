// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/tree/whiteouts.h"

#include <string.h>

#include "image-build/base/refuse.h"
#include "lib/array.h"

#define OVERLAY_PREFIX "trusted.overlay."
#define OVERLAY_OPAQUE "trusted.overlay.opaque"
#define OVERLAY_ORIGIN "trusted.overlay.origin"

bool overlay_is_whiteout(const struct inode *inode)
{
	return S_ISCHR(inode->mode) && inode->device_major == 0 && inode->device_minor == 0;
}

/* What erofs has a number for: others could not be written. */
enum xattr_fate overlay_xattr(const char *name)
{
	static const char *const kept[] = { "user.", "trusted.", "security." };
	static const char *const whole[] = { "system.posix_acl_access",
					     "system.posix_acl_default" };

	if (!strncmp(name, OVERLAY_PREFIX, strlen(OVERLAY_PREFIX)))
		return XATTR_OVERLAY;
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
		if (!strncmp(name, kept[i], strlen(kept[i])))
			return name[strlen(kept[i])] ? XATTR_KEPT : XATTR_REFUSED;
	for (size_t i = 0; i < ARRAY_SIZE(whole); i++)
		if (!strcmp(name, whole[i]))
			return XATTR_KEPT;
	/* Nothing of system. is left out: it may be an access list. */
	return *name && strncmp(name, "system.", strlen("system.")) ? XATTR_FOREIGN : XATTR_REFUSED;
}

int overlay_take_xattr(struct inode *inode, const char *name, const void *value, size_t size,
		       struct err *e)
{
	static const char *const elsewhere[] = { "redirect", "metacopy", "whiteout", "whiteouts" };
	const char *key = name + strlen(OVERLAY_PREFIX);

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
	struct node *const *children;

	node_remove_whiteouts(t, dir);
	children = node_children(dir);
	for (size_t i = 0; i < node_child_count(dir); i++)
		children[i]->whiteout = false;
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

static int drop_marks(struct node *node, void *context, struct err *e)
{
	(void)e;
	node->whiteout = node->inode->opaque = false;
	node_remove_whiteouts(context, node);
	return 0;
}

void overlay_drop_marks(struct tree *t)
{
	tree_walk(t->root, drop_marks, t, NULL);
}
