// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/inspect/filesystem.h"

#include <inttypes.h>

#include "image-build/base/json.h"
#include "image-build/base/refuse.h"
#include "lib/array.h"
#include "lib/le.h"
#include "lib/uuid.h"
#include "mount/fs/erofs.h"

/* The start of a file system, with room for the superblock of each. */
struct start {
	uint8_t bytes[PROBE_BYTES];
	size_t size;
};

static void add_uuid(struct json_object *o, const uint8_t uuid[UUID_SIZE])
{
	char text[UUID_TEXT_SIZE];

	uuid_text(uuid, text);
	json_add_text(o, "uuid", text);
}

static int impossible(const char *name, struct err *e)
{
	return refuse(e, "its %s superblock has impossible fields", name);
}

/* --- erofs ------------------------------------------------------------------------- */

static int add_devices(const struct slice *x, const struct erofs_superblock *sb,
		       struct json_object *list, uint64_t *ret_end, struct err *e)
{
	uint64_t end = 0;

	for (unsigned int i = 0; i < sb->extra_devices; i++) {
		uint8_t entry[EROFS_DEVICE_SIZE];
		struct json_object *o;
		struct erofs_device d;
		uint64_t at = sb->device_table_bytes + (uint64_t)i * sizeof(entry);
		ssize_t n = slice_read(x, entry, sizeof(entry), at);

		if (n != (ssize_t)sizeof(entry))
			return system_result(e, n, "read entry %u of its device table", i + 1);
		if (erofs_device_read(entry, sb, &d))
			return refuse(e, "entry %u of its device table has impossible numbers",
				      i + 1);
		o = json_object_new_object();
		err_make_printable(d.tag);
		if (*d.tag)
			json_add_text(o, "tag", d.tag);
		json_add_number(o, "blocks", d.blocks);
		json_add_number(o, "start_bytes", d.start_bytes);
		json_object_array_add(list, o);
		end = d.end_bytes > end ? d.end_bytes : end;
	}
	*ret_end = end;
	return 0;
}

/*
 * The kernel takes a file system with a device table and no device= as a flat
 * one: what the table names is on the first device, at its addresses. It is one
 * if the bytes are there.
 */
static int read_erofs_devices(const struct slice *x, const struct erofs_superblock *sb,
			      struct filesystem *fs, struct json_object *o, struct err *e)
{
	struct json_object *list = json_object_new_array();
	uint64_t end = 0;
	int r = add_devices(x, sb, list, &end, e);
	bool within = !r && end <= x->size;

	json_object_object_add(o, "devices", list);
	if (r)
		return r;
	json_add_bool(o, "devices_within", within);
	if (!within)
		fs->more_devices = sb->extra_devices;
	else if (end > fs->size_bytes)
		fs->size_bytes = end;
	/* A bootstrap of nydus: its superblock has the size of the others. */
	if (fs->size_bytes > x->size)
		fs->size_bytes = x->size;
	return 0;
}

static int read_erofs(const struct slice *x, const struct start *start, struct filesystem *fs,
		      struct json_object *o, struct err *e)
{
	struct erofs_superblock sb;

	if (erofs_superblock_read(start->bytes, start->size, &sb))
		return impossible("erofs", e);
	*fs = (struct filesystem){ .size_bytes = sb.size_bytes, .io_size = sb.block_size };
	json_add_number(o, "block_size", sb.block_size);
	json_add_number(o, "inodes", sb.inodes);
	add_uuid(o, sb.uuid);
	return sb.extra_devices ? read_erofs_devices(x, &sb, fs, o, e) : 0;
}

/* --- the others -------------------------------------------------------------------- */

static int read_squashfs(const struct slice *x, const struct start *start, struct filesystem *fs,
			 struct json_object *o, struct err *e)
{
	const uint8_t *sb = start->bytes;
	uint64_t bytes = start->size >= 96 ? le_get(sb + 40, 8) : 0;

	(void)x;
	if (bytes < 96 || bytes > INT64_MAX)
		return impossible("squashfs", e);
	*fs = (struct filesystem){ .size_bytes = bytes, .io_size = UINT32_MAX };
	json_add_number(o, "block_size", le_get(sb + 12, 4));
	json_add_number(o, "inodes", le_get(sb + 4, 4));
	return 0;
}

#define EXT4_INCOMPAT_64BIT 0x80

static int read_ext4(const struct slice *x, const struct start *start, struct filesystem *fs,
		     struct json_object *o, struct err *e)
{
	const uint8_t *sb = start->bytes + 1024;
	uint64_t blocks, bytes, bits = start->size >= 2048 ? le_get(sb + 0x18, 4) : UINT64_MAX;

	(void)x;
	if (bits > 6)
		return impossible("ext4", e);
	blocks = le_get(sb + 0x4, 4);
	if (le_get(sb + 0x60, 4) & EXT4_INCOMPAT_64BIT)
		blocks |= le_get(sb + 0x150, 4) << 32;
	if (!blocks || __builtin_mul_overflow(blocks, 1024ULL << bits, &bytes) || bytes > INT64_MAX)
		return impossible("ext4", e);
	*fs = (struct filesystem){ .size_bytes = bytes, .io_size = 1024U << bits };
	json_add_number(o, "block_size", fs->io_size);
	json_add_number(o, "inodes", le_get(sb, 4));
	add_uuid(o, sb + 0x68);
	return 0;
}

/* xfs is big-endian. */
static uint64_t be_get(const uint8_t *at, size_t size)
{
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++)
		value = value << 8 | at[i];
	return value;
}

static int read_xfs(const struct slice *x, const struct start *start, struct filesystem *fs,
		    struct json_object *o, struct err *e)
{
	const uint8_t *sb = start->bytes;
	uint64_t block_size, sector_size, bytes;

	(void)x;
	if (start->size < 512)
		return impossible("xfs", e);
	block_size = be_get(sb + 4, 4);
	sector_size = be_get(sb + 102, 2);
	if (block_size < 512 || block_size > 65536 || sector_size < 512 ||
	    __builtin_mul_overflow(be_get(sb + 8, 8), block_size, &bytes) || !bytes ||
	    bytes > INT64_MAX)
		return impossible("xfs", e);
	*fs = (struct filesystem){ .size_bytes = bytes, .io_size = (uint32_t)sector_size };
	json_add_number(o, "block_size", block_size);
	json_add_number(o, "inodes", be_get(sb + 128, 8));
	add_uuid(o, sb + 32);
	return 0;
}

static const struct {
	enum image_kind kind;
	int (*read)(const struct slice *x, const struct start *start, struct filesystem *fs,
		    struct json_object *o, struct err *e);
} readers[] = {
	{ IMAGE_EROFS, read_erofs },
	{ IMAGE_SQUASHFS, read_squashfs },
	{ IMAGE_EXT4, read_ext4 },
	{ IMAGE_XFS, read_xfs },
};

bool filesystem_known(enum image_kind kind)
{
	for (size_t i = 0; i < ARRAY_SIZE(readers); i++)
		if (readers[i].kind == kind)
			return true;
	return false;
}

int filesystem_read(const struct slice *x, enum image_kind kind, struct filesystem *ret,
		    struct json_object *o, struct err *e)
{
	struct filesystem fs = { 0 };
	struct start start;
	ssize_t n = slice_read(x, start.bytes, sizeof(start.bytes), 0);
	int r = 0;

	if (n < 0)
		return system_result(e, n, "read");
	start.size = (size_t)n;
	for (size_t i = 0; !r && i < ARRAY_SIZE(readers); i++)
		if (readers[i].kind == kind)
			r = readers[i].read(x, &start, &fs, o, e);
	if (!r)
		json_add_number(o, "filesystem_bytes", fs.size_bytes);
	if (!r && fs.size_bytes > x->size)
		r = refuse(e, "its %s has %" PRIu64 " bytes, the file only %" PRIu64,
			   probe_name(kind), fs.size_bytes, x->size);
	if (!r)
		*ret = fs;
	return r;
}
