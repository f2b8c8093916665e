// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/disk/erofs/erofs_xattrs.h"

#include <string.h>

#include "image-build/base/refuse.h"
#include "image-build/disk/erofs/xxh32.h"
#include "lib/array.h"
#include "lib/le.h"
#include "lib/text.h"

#define HEADER_BYTES    12
#define ENTRY_BYTES     4
#define NAME_MAX_BYTES  255
#define VALUE_MAX_BYTES UINT16_MAX
/* More than limits.h lets in; they are written in one piece with the inode. */
#define BODY_MAX_BYTES (60 << 10)
#define FILTER_SEED    0x25bbe08f

struct space_of_names {
	const char *prefix;
	uint8_t number;
};

/* The second and third are whole names. */
static const struct space_of_names spaces[] = {
	{ "user.", 1 },
	{ "system.posix_acl_access", 2 },
	{ "system.posix_acl_default", 3 },
	{ "trusted.", 4 },
	{ "security.", 6 },
};

/* The name space of a name, and the rest of it; NULL for none. */
static const struct space_of_names *split(const char *name, const char **ret_rest)
{
	for (size_t i = 0; i < ARRAY_SIZE(spaces); i++) {
		const char *rest = text_behind(name, spaces[i].prefix);

		/* A whole name ends where the prefix ends, and a prefix does not. */
		if (!rest || !*rest != (spaces[i].prefix[strlen(spaces[i].prefix) - 1] != '.'))
			continue;
		*ret_rest = rest;
		return &spaces[i];
	}
	return NULL;
}

static size_t entry_size(const char *rest, const struct xattr *x)
{
	return (ENTRY_BYTES + strlen(rest) + x->size + 3) / 4 * 4;
}

int erofs_xattrs_size(const struct inode *inode, uint32_t *ret, struct err *e)
{
	size_t size = inode->xattr_count ? HEADER_BYTES : 0;

	for (size_t i = 0; i < inode->xattr_count; i++) {
		const struct xattr *x = &inode->xattrs[i];
		const char *rest;

		if (!split(x->name, &rest))
			return refuse(e, "erofs has no place for the attribute \"%.100s\"",
				      x->name);
		if (strlen(rest) > NAME_MAX_BYTES || x->size > VALUE_MAX_BYTES)
			return refuse_limit(e, "attribute %.60s of %zu bytes, at most %d", x->name,
					    x->size, VALUE_MAX_BYTES);
		size += entry_size(rest, x);
	}
	if (size > BODY_MAX_BYTES)
		return refuse_limit(e, "attributes of %zu bytes, at most %d", size, BODY_MAX_BYTES);
	*ret = (uint32_t)size;
	return 0;
}

/* A name that is there clears its bit: one that is asked for and has it set is not there. */
static uint32_t filter_bit(const char *rest, uint8_t number)
{
	return 1U << (xxh32_of(rest, strlen(rest), FILTER_SEED + number) % 32);
}

void erofs_xattrs_put(const struct inode *inode, uint8_t *at)
{
	uint32_t filter = UINT32_MAX;
	uint8_t *to = at + HEADER_BYTES;

	if (!inode->xattr_count)
		return;
	for (size_t i = 0; i < inode->xattr_count; i++) {
		const struct xattr *x = &inode->xattrs[i];
		const char *rest = "";
		const struct space_of_names *space = split(x->name, &rest);

		filter &= ~filter_bit(rest, space->number);
		to[0] = (uint8_t)strlen(rest);
		to[1] = space->number;
		le_put(to + 2, 2, x->size);
		memcpy(to + ENTRY_BYTES, rest, strlen(rest));
		memcpy(to + ENTRY_BYTES + strlen(rest), x->value, x->size);
		to += entry_size(rest, x);
	}
	le_put(at, 4, filter);
}
