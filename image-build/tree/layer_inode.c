// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/tree/layer_inode.h"

#include <string.h>

#include "image-build/base/limits.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/tree/whiteouts.h"
#include "lib/array.h"
#include "lib/text.h"

#define XATTR_KEY "SCHILY.xattr."
#define MODE_MAX  UINT32_MAX
/*
 * Bytes of a file's end that are better off behind its inode than in a block of their
 * own: half a block, so that a file wastes less than that, and inodes stay near each other.
 */
#define TAIL_MAX (CONTENT_BLOCK / 2)

static int check_number(const char *what, int64_t value, int64_t max, struct err *e)
{
	if (value < 0 || value > max)
		return refuse_limit(e, "%s %lld, at most %lld", what, (long long)value,
				    (long long)max);
	return 0;
}

static int read_attributes(const struct tar_entry *entry, struct inode *inode, struct err *e)
{
	int r = check_number("mode", entry->mode, MODE_MAX, e);

	if (!r)
		r = check_number("user id", entry->uid, UINT32_MAX - 1LL, e);
	if (!r)
		r = check_number("group id", entry->gid, UINT32_MAX - 1LL, e);
	if (r)
		return r;
	/* Old writers put the type into the mode as well; the entry's own counts. */
	inode->mode = (uint16_t)((inode->mode & S_IFMT) | (entry->mode & 07777));
	inode->uid = (uint32_t)entry->uid;
	inode->gid = (uint32_t)entry->gid;
	inode->mtime_sec = entry->mtime_sec;
	inode->mtime_nsec = entry->mtime_nsec;
	if (!inode_is_device(inode))
		return 0;
	r = check_number("device major", entry->device_major, LIMIT_DEVICE_MAJOR, e);
	if (!r)
		r = check_number("device minor", entry->device_minor, LIMIT_DEVICE_MINOR, e);
	if (r)
		return r;
	inode->device_major = (uint32_t)entry->device_major;
	inode->device_minor = (uint32_t)entry->device_minor;
	if (overlay_is_whiteout(inode))
		return refuse(e, "a character device 0:0: overlayfs takes it for a deletion, so it "
				 "cannot be content (deletions are named .wh.NAME)");
	return 0;
}

static int read_xattr(struct layer *l, const char *name, const struct pax_record *record,
		      struct inode *inode, struct err *e)
{
	switch (overlay_xattr(name)) {
	case XATTR_KEPT:
		inode_set_xattr(inode, name, record->value, record->size);
		return 0;
	case XATTR_OVERLAY:
		return overlay_take_xattr(inode, name, record->value, record->size, e);
	case XATTR_FOREIGN:
		layer_note(l, NOTE_ATTRIBUTE,
			   "attributes like \"%.60s\" are not Linux' and left out", name);
		return 0;
	case XATTR_REFUSED:
		break;
	}
	return refuse(e, "extended attribute \"%.100s\" cannot be kept", name);
}

/* What other readers would make attributes of, and Docker and containerd do not. */
static void note_record(struct layer *l, const struct pax_record *record, const struct inode *inode)
{
	const char *name = text_behind(record->key, "LIBARCHIVE.xattr.");

	if (name && !inode_xattr(inode, name))
		layer_note(l, NOTE_ATTRIBUTE,
			   "attributes like \"%.60s\" are left out, as Docker does", record->key);
	if (text_behind(record->key, "SCHILY.acl.") &&
	    !inode_xattr(inode, "system.posix_acl_access") &&
	    !inode_xattr(inode, "system.posix_acl_default"))
		layer_note(l, NOTE_TEXT_ACL,
			   "access lists as text (\"%.60s\") are left out, as Docker does",
			   record->key);
}

static int read_xattrs(struct layer *l, const struct pax *p, struct inode *inode, struct err *e)
{
	size_t total = 0;
	int r = 0;

	for (size_t i = 0; !r && i < p->count; i++) {
		const char *name = text_behind(p->records[i].key, XATTR_KEY);
		size_t size = p->records[i].size;

		if (!name)
			continue;
		total += strlen(name) + size + 32;
		if (strlen(name) > LIMIT_XATTR_NAME || total > LIMIT_XATTRS)
			return refuse_limit(
				e,
				"attribute %.60s of %zu bytes (a name has at most %d, all "
				"attributes of a file %d)",
				name, size, LIMIT_XATTR_NAME, LIMIT_XATTRS);
		r = read_xattr(l, name, &p->records[i], inode, e);
	}
	for (size_t i = 0; !r && i < p->count; i++)
		note_record(l, &p->records[i], inode);
	return r;
}

static int check_size(struct layer *l, uint64_t size, struct err *e)
{
	struct layer_budget *budget = l->budget;

	if (size > LIMIT_FILE_BYTES)
		return refuse_limit(e, "a file of %llu bytes, at most %llu",
				    (unsigned long long)size, LIMIT_FILE_BYTES);
	if (budget && (size > budget->max_bytes ||
		       atomic_fetch_add(&budget->bytes, size) > budget->max_bytes - size))
		return refuse_limit(e,
				    "with this file of %llu bytes the image's files have more than "
				    "%llu, holes included; --max-size allows more",
				    (unsigned long long)size,
				    (unsigned long long)budget->max_bytes);
	return 0;
}

static int read_content(struct layer *l, struct tar_reader *t, struct inode *inode, struct err *e)
{
	const void *bytes;
	uint64_t offset;
	size_t size;
	int r;

	while ((r = tar_data(t, &bytes, &size, &offset, e)) == 1) {
		r = content_add(&inode->content, &l->store, bytes, size, offset, e);
		if (r)
			return r;
	}
	return r ? r : content_end(&inode->content, &l->store, inode->size, TAIL_MAX, e);
}

static int read_symlink(const struct tar_entry *entry, struct inode *inode, struct err *e)
{
	if (!*entry->link)
		return refuse(e, "a symbolic link without a target");
	if (strlen(entry->link) > LIMIT_LINK_TARGET)
		return refuse_limit(e, "a link target of %zu bytes, at most %d",
				    strlen(entry->link), LIMIT_LINK_TARGET);
	inode->target = memory_text(entry->link);
	return 0;
}

static int refuse_type(char type, struct err *e)
{
	static const struct {
		char type;
		const char *what;
	} known[] = {
		{ 'A', "an access list of Solaris" },  { 'D', "a GNU directory of a dump" },
		{ 'M', "the rest of another volume" }, { 'N', "a list of long names" },
		{ 'V', "the label of a volume" },      { 'X', "a pax header of Solaris" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (known[i].type == type)
			return refuse(e, "it is of type %c, %s, and not a file", type,
				      known[i].what);
	return refuse(e, "it is of an unknown type (byte 0x%02x)", (unsigned char)type);
}

static int read_all(struct layer *l, struct tar_reader *t, const struct tar_entry *entry,
		    struct inode *inode, struct err *e)
{
	int r = read_attributes(entry, inode, e);

	if (!r)
		r = read_xattrs(l, entry->pax, inode, e);
	if (!r && S_ISLNK(inode->mode))
		r = read_symlink(entry, inode, e);
	if (r || !S_ISREG(inode->mode))
		return r;
	inode->size = entry->size;
	r = check_size(l, entry->size, e);
	return r ? r : read_content(l, t, inode, e);
}

int layer_read_inode(struct layer *l, struct tar_reader *t, const struct tar_entry *entry,
		     struct inode **ret, struct err *e)
{
	static const mode_t types[] = { S_IFREG, 0, S_IFLNK, S_IFCHR, S_IFBLK, S_IFDIR, S_IFIFO };
	struct inode *inode;
	int r;

	if (entry->type < '0' || entry->type > '6')
		return refuse_type(entry->type, e);
	inode = inode_hold(inode_new(types[entry->type - '0']));
	r = read_all(l, t, entry, inode, e);
	if (r)
		inode_release(inode);
	else
		*ret = inode;
	return r;
}
